import type { JsonObject } from "../../../model/json.ts";
import { figureOf, unchecked } from "../../check/agreement.ts";
import { aggregateFigure } from "../../check/aggregation.ts";
import type { ReadContext } from "../../format.ts";
import { listAt, numberAt, objectAt } from "../../read/members.ts";
import type { LogEvaluation, LogItem } from "../../translate/log-parts.ts";

const STDERR = /_stderr$/;

/** The figures that a results file states of a task. */
export function* taskFigures(
  results: JsonObject,
  { id, task }: LogEvaluation,
  { book, refused }: ReadContext,
  documents: number,
): Generator<LogItem> {
  const config = objectAt(results, "config_tasks", task);
  const stated = objectAt(results, "results", task);
  const expected = numberAt(config, "effective_num_docs");
  if (refused() > 0 || (expected !== null && expected !== documents)) {
    const why = `${documents} of ${expected ?? "the"} documents were read`;
    if (refused() === 0) yield { kind: "note", text: `${task}: ${why}` };
    yield unchecked(task, why);
    return;
  }
  if (expected !== null) yield figureOf(id, null, "effective_num_docs", expected, documents);
  for (const [name, value] of Object.entries(stated)) {
    const isError = STDERR.test(name) && Object.hasOwn(stated, name.replace(STDERR, ""));
    const key = isError ? name.replace(STDERR, "") : name;
    const aggregation = aggregationOf(config, key);
    const figure = { evaluation: id, key, what: `${task} ${name}`, stated: value, aggregation, isError };
    yield aggregateFigure(figure, book.find(id, [key])?.values ?? []);
  }
}

/** The name of the function that makes a figure of the scores; null where the log does not say. */
function aggregationOf(config: JsonObject, metric: string): string | null {
  for (const one of listAt(config, "metrics")) {
    const { metric_name: names, corpus_level_fn: functions } = one as JsonObject;
    const isNamed = names === metric || (Array.isArray(names) && names.includes(metric));
    if (!isNamed) continue;
    const found = typeof functions === "string" ? functions : objectAt(one, "corpus_level_fn")[metric];
    if (typeof found === "string") return found;
  }
  return null;
}
