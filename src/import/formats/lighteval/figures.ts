import type { Json, JsonObject } from "../../../model/json.ts";
import { type StatedFigure, agrees, figureOf, unchecked } from "../../check/agreement.ts";
import { meanOf, varianceOf } from "../../check/moments.ts";
import type { ScoreBook } from "../../check/score-book.ts";
import { listAt, numberAt, objectAt } from "../../read/members.ts";
import type { LogEvaluation, LogItem } from "../../translate/log-parts.ts";

const STDERR = /_stderr$/;

/** The figures that a results file states of a task. */
export function* taskFigures(
  results: JsonObject,
  { id, task }: LogEvaluation,
  book: ScoreBook,
  documents: number,
  refused: number,
): Generator<LogItem> {
  const config = objectAt(objectAt(results, "config_tasks"), task);
  const stated = objectAt(objectAt(results, "results"), task);
  const expected = numberAt(config, "effective_num_docs");
  if (refused > 0 || (expected !== null && expected !== documents)) {
    const why = `${documents} of ${expected ?? "the"} documents were read`;
    if (refused === 0) yield { kind: "note", text: `${task}: ${why}` };
    yield unchecked(task, why);
    return;
  }
  if (expected !== null) yield figureOf(id, null, "effective_num_docs", expected, documents);
  for (const [name, value] of Object.entries(stated)) {
    const isError = STDERR.test(name) && Object.hasOwn(stated, name.replace(STDERR, ""));
    const key = isError ? name.replace(STDERR, "") : name;
    const found = book.find(id, [key])?.values ?? [];
    const aggregation = aggregationOf(config, key);
    const figure = { evaluation_call_id: id, path: null, scorer_key: key, stat: isError ? "stderr" : "mean" };
    yield metricFigure(`${task} ${name}`, figure, value, found, aggregation);
  }
}

function metricFigure(
  what: string,
  of: Omit<StatedFigure, "stated" | "computed">,
  stated: Json,
  values: readonly number[],
  aggregation: string | null,
): LogItem {
  const skipped = (why: string) => unchecked(what, why);
  if (typeof stated !== "number") return skipped("no number is stated");
  if (values.length === 0) return skipped("no document has a number; it is a figure of the whole task");
  if (of.stat === "stderr" && aggregation !== "mean") return skipped("the error is a random figure");
  const computed = of.stat === "stderr" ? Math.sqrt(varianceOf(values) / values.length) : meanOf(values);
  const figure = { ...of, stated, computed };
  if (aggregation !== "mean" && !agrees(figure)) return skipped("how it is computed is not known");
  return { kind: "figure", figure };
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
