import { hashOf, rootId } from "../../translate/ids.ts";
import type { LogEvaluation } from "../../translate/log-parts.ts";
import type { TableMapping } from "../../translate/table-mapping.ts";

/** A run as it is known: by the name that the caller gives it, else by its own id, else by its content. */
export function runNamed(
  format: string,
  own: { readonly task: string; readonly model: string; readonly label: string | null },
  { evaluationName }: TableMapping,
  ownId: string | null = null,
): Pick<LogEvaluation, "id" | "knownBy" | "task" | "model" | "label" | "showsLabel"> {
  const label = evaluationName ?? own.label;
  const shown = { ...own, label, showsLabel: evaluationName !== undefined };
  if (ownId !== null && evaluationName === undefined) return { ...shown, id: rootId(format, ownId) };
  return {
    ...shown,
    id: rootId(format, hashOf([own.task, label, own.model])),
    knownBy: evaluationName === undefined ? "file" : "name",
  };
}
