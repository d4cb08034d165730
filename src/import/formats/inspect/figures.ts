import type { Json, JsonObject } from "../../../model/json.ts";
import { meanOf, varianceOf } from "../../check/moments.ts";
import { valuesByRow, type DimensionValues, type ScoreBook } from "../../check/score-book.ts";
import { listAt, numberAt, objectAt, textAt } from "../../read/members.ts";
import type { LogItem } from "../../translate/log-parts.ts";
import { isDisputed, reducerOf } from "./reducers.ts";
import type { InspectRun } from "./run.ts";

/** How many trials were read, and how many of them ended in an error. */
interface Counts {
  readonly trials: number;
  readonly errors: number;
  readonly rejected: number;
}

/** The figures that a log states beside those of its samples. */
export function* statedFigures(run: InspectRun, book: ScoreBook, counts: Counts): Generator<LogItem> {
  const scores = listAt(run.results, "scores");
  const total = numberAt(run.results, "total_samples");
  if (counts.rejected > 0 || (total !== null && total !== counts.trials)) {
    const why = `${counts.trials} of ${total ?? "the"} samples were read`;
    if (counts.rejected === 0) yield { kind: "note", text: `${why}; the log holds no others` };
    yield { kind: "unchecked", what: "results", why };
    return;
  }
  const completed = numberAt(run.results, "completed_samples");
  if (completed !== null)
    yield figure(run, null, "completed_samples", completed, counts.trials - counts.errors);
  for (const score of scores) yield* scoreFigures(run, score, book);
}

function* scoreFigures(run: InspectRun, score: Json, book: ScoreBook): Generator<LogItem> {
  const name = textAt(score, "name") ?? "";
  const found = findDimension(run, book, name, textAt(score, "scorer") ?? name);
  const reducerName = textAt(score, "reducer") ?? "mean";
  const reducer = reducerOf(reducerName);
  const byRow = found === null ? [] : valuesByRow(found.values);
  const metrics = Object.entries(objectAt(score, "metrics"));
  if (found === null || reducer === null || isDisputed(reducerName, byRow)) {
    const reducing = reducer === null ? "is not known" : "is not the same in all versions";
    const why = found === null ? "no sample has this score" : `the reducer ${reducerName} ${reducing}`;
    for (const [metric] of metrics) yield { kind: "unchecked", what: `${name} ${metric}`, why };
    return;
  }
  const { path, values } = found;
  yield* countFigures(run, path, score, byRow.length, new Set(values.rows).size);
  const reduced = byRow.map(reducer);
  for (const [metric, stated] of metrics) yield metricFigure(run, path, metric, stated, reduced);
}

function* countFigures(
  run: InspectRun,
  path: readonly string[],
  score: Json,
  scored: number,
  rows: number,
): Generator<LogItem> {
  const stated = numberAt(score, "scored_samples");
  if (stated !== null) yield figure(run, path, "scored_samples", stated, scored);
  const unscored = numberAt(score, "unscored_samples");
  if (unscored !== null) yield figure(run, path, "unscored_samples", unscored, rows - scored);
}

/** A member of an object that a scorer gives is named by itself. */
function findDimension(
  run: InspectRun,
  book: ScoreBook,
  name: string,
  scorer: string,
): { path: readonly string[]; values: DimensionValues } | null {
  const paths = name === scorer ? [[name]] : [[scorer, name], [name], [scorer]];
  for (const path of paths) {
    const values = book.find(run.evaluation.id, path);
    if (values !== null) return { path, values };
  }
  return null;
}

const METRICS: Readonly<Record<string, (values: readonly number[]) => number>> = {
  accuracy: meanOf,
  mean: meanOf,
  std: (values) => Math.sqrt(varianceOf(values)),
  var: varianceOf,
  stderr: (values) => Math.sqrt(varianceOf(values) / values.length),
};

function metricFigure(
  run: InspectRun,
  path: readonly string[],
  metric: string,
  stated: Json,
  reduced: readonly number[],
): LogItem {
  const what = `${path.join(".")} ${metric}`;
  const compute = Object.hasOwn(METRICS, metric) ? METRICS[metric] : undefined;
  const value = numberAt(stated, "value");
  if (compute === undefined) return { kind: "unchecked", what, why: "the metric is not known" };
  if (isClustered(objectAt(stated, "params")) || isClustered(objectAt(stated, "options")))
    return { kind: "unchecked", what, why: "the metric is clustered" };
  if (value === null || reduced.length === 0)
    return {
      kind: "unchecked",
      what,
      why: value === null ? "no number is stated" : "no sample has a number",
    };
  return figure(run, path, metric, value, compute(reduced));
}

function isClustered(options: JsonObject): boolean {
  return (options["cluster"] ?? null) !== null;
}

function figure(
  run: InspectRun,
  path: readonly string[] | null,
  stat: string,
  stated: number,
  computed: number,
): LogItem {
  const [key = null, ...rest] = path ?? [];
  return {
    kind: "figure",
    figure: {
      evaluation_call_id: run.evaluation.id,
      scorer_key: key,
      path: rest.length === 0 ? null : rest.join("."),
      stat,
      stated,
      computed,
    },
  };
}
