import { isJsonObject, type Json, type JsonObject } from "../../../model/json.ts";
import type { ReadContext } from "../../format.ts";
import { textAt } from "../../read/members.ts";
import { withoutNoNumbers } from "../../read/no-numbers.ts";
import { rootId } from "../../translate/ids.ts";
import type { LogEvaluation } from "../../translate/log-parts.ts";
import { lacksZone, readTime } from "../../translate/times.ts";
import type { LogSurvey } from "./read-log.ts";

/** The run as an evaluation, and what was assumed of it. */
export function runOf(
  { spec, runId, report, apart }: LogSurvey,
  { table }: ReadContext,
): { readonly evaluation: LogEvaluation; readonly notes: readonly string[] } {
  const time = spec?.["created_at"];
  const model = spec === null ? null : modelOf(spec);
  const evaluation: LogEvaluation = {
    id: rootId("openai-evals", runId),
    task: textAt(spec ?? {}, "eval_name") ?? table.taskName ?? "unknown",
    model: model ?? table.modelName ?? "unknown",
    startedAt: readTime(time),
    goesOn: report === null,
    spec: withoutNoNumbers(spec ?? {}) as JsonObject,
  };
  const notes = [
    ...(lacksZone(time) ? ["a time without zone counts as UTC"] : []),
    ...(model === null && table.modelName === undefined
      ? ["the log does not name the model; it is unknown, --model names it"]
      : []),
    ...(report === null ? ["the log has no final report: the run did not come to its end"] : []),
    ...(apart > 0 ? [`left out: ${apart} events of no sample`] : []),
  ];
  return { evaluation, notes };
}

/** The names of the completion functions; older logs name models. */
function modelOf(spec: JsonObject): string | null {
  for (const member of ["completion_fns", "model_names", "model_name"]) {
    const names = textsIn(spec[member] ?? null);
    if (names.length > 0) return names.join(",");
  }
  return null;
}

function textsIn(value: Json): string[] {
  if (typeof value === "string") return value === "" ? [] : [value];
  if (Array.isArray(value)) return value.flatMap((one: Json) => textsIn(one));
  return isJsonObject(value) ? Object.values(value).flatMap((one) => textsIn(one)) : [];
}
