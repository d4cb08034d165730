import { hashOf, rootId } from "../../translate/ids.ts";
import type { LogEvaluation } from "../../translate/log-parts.ts";
import type { TableMapping } from "../../translate/table-mapping.ts";

/** A run that has no id of its own: it is known by its content, or by the name that the caller gives it. */
export function runNamed(
  format: string,
  own: { readonly task: string; readonly model: string; readonly label: string | null },
  { evaluationName }: TableMapping,
): Pick<LogEvaluation, "id" | "knownBy" | "task" | "model" | "label" | "showsLabel"> {
  const label = evaluationName ?? own.label;
  return {
    ...own,
    id: rootId(format, hashOf([own.task, label, own.model])),
    knownBy: evaluationName === undefined ? "file" : "name",
    label,
    showsLabel: evaluationName !== undefined,
  };
}
