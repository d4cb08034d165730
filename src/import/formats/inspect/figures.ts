import type { Json, JsonObject } from "../../../model/json.ts";
import { agrees, figureOf, unchecked } from "../../check/agreement.ts";
import { meanOf, varianceOf, medianOf, modeOf } from "../../check/moments.ts";
import { valuesByRow, type DimensionValues, type ScoreBook } from "../../check/score-book.ts";
import { listAt, numberAt, objectAt, textAt } from "../../read/members.ts";
import type { LogItem } from "../../translate/log-parts.ts";
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
    yield unchecked("results", why);
    return;
  }
  const completed = numberAt(run.results, "completed_samples");
  if (completed !== null)
    yield figureOf(run.evaluation.id, null, "completed_samples", completed, counts.trials - counts.errors);
  for (const score of scores) {
    const ways = reducings(run, score, scores).map((way) => [...scoreFigures(run, score, book, way)]);
    yield* ways.find((items) => items.every(isSound)) ?? ways[0] ?? [];
  }
}

function isSound(item: LogItem): boolean {
  return item.kind !== "figure" || agrees(item.figure);
}

/** Reducers by which the figures of a score may be made; null where each sample of each epoch counts by itself. */
function reducings({ evaluation }: InspectRun, score: Json, scores: readonly Json[]): (string | null)[] {
  const named = textAt(score, "reducer");
  const { epochs_reducer: reducers, epochs } = objectAt(objectAt(evaluation.spec, "eval"), "config");
  const reduced = scores.filter((one) => textAt(one, "reducer") !== null);
  const isTwice = reduced.some((one) => textAt(one, "name") === textAt(score, "name"));
  if (named !== null) return [named];
  if (isTwice || (Array.isArray(reducers) && reducers.length === 0)) return [null];
  // One epoch needs no reduction, though the log may have a sample twice.
  return reduced.length > 0 || (epochs ?? 1) === 1 ? ["mean", null] : ["mean"];
}

function* scoreFigures(
  run: InspectRun,
  score: Json,
  book: ScoreBook,
  reducing: string | null,
): Generator<LogItem> {
  const name = textAt(score, "name") ?? "";
  const found = findDimension(run, book, name, textAt(score, "scorer") ?? name);
  const byRow = found === null ? [] : valuesByRow(found.values);
  const metrics = Object.entries(objectAt(score, "metrics"));
  const reduce = reducing === null ? (rows: readonly number[][]) => rows.flat() : reducerOf(reducing, byRow);
  if (found === null || typeof reduce === "string" || found.values.texts > 0) {
    const texts = typeof reduce === "string" ? reduce : "some of its values are texts";
    const why = found === null ? "no sample has this score" : texts;
    for (const [metric] of metrics) yield unchecked(`${name} ${metric}`, why);
    return;
  }
  const { path, values } = found;
  const reduced = reduce(byRow);
  const asked = reducing === null ? values.rows.length : new Set(values.rows).size;
  yield* countFigures(run, path, score, reduced.length, asked);
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
  if (stated !== null) yield figureOf(run.evaluation.id, path, "scored_samples", stated, scored);
  const unscored = numberAt(score, "unscored_samples");
  if (unscored !== null) yield figureOf(run.evaluation.id, path, "unscored_samples", unscored, rows - scored);
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
  // A metric of a package of its own is called `package/accuracy`.
  const name = (textAt(stated, "name") ?? metric).replace(/^inspect_ai\//, "");
  const compute = Object.hasOwn(METRICS, name) ? METRICS[name] : undefined;
  const value = numberAt(stated, "value");
  if (compute === undefined) return unchecked(what, "the metric is not known");
  if (isClustered(objectAt(stated, "params")) || isClustered(objectAt(stated, "options")))
    return unchecked(what, "the metric is clustered");
  if (value === null || reduced.length === 0)
    return unchecked(what, value === null ? "no number is stated" : "no sample has a number");
  return figureOf(run.evaluation.id, path, metric, value, compute(reduced));
}

function isClustered(options: JsonObject): boolean {
  return (options["cluster"] ?? null) !== null;
}

type Reducer = (values: readonly number[]) => number;

const REDUCERS: ReadonlyMap<string, Reducer> = new Map<string, Reducer>([
  ["mean", meanOf],
  ["median", medianOf],
  ["mode", modeOf],
  ["max", (values) => Math.max(...values)],
]);

type Reduction = (byRow: readonly (readonly number[])[]) => number[];

/** How the epochs of each row become one value; a text that says why not, where that is not known for certain. */
function reducerOf(name: string, byRow: readonly (readonly number[])[]): Reduction | string {
  const known = REDUCERS.get(name);
  const [, kind, digits] = /^(at_least|pass_at)_(\d+)$/.exec(name) ?? [];
  const k = Number(digits);
  if (known !== undefined) return (rows) => rows.map(known);
  if (kind === "at_least") return (rows) => rows.map((values) => (passes(values) >= k ? 1 : 0));
  if (kind === undefined) return `the reducer ${name} is not known`;
  // Versions of Inspect reduce values above 1, and fewer than k values, in different ways.
  const isDisputed = byRow.some((values) => values.length < k || values.some((value) => value > 1));
  if (isDisputed) return `the reducer ${name} is not the same in all versions`;
  return (rows) => rows.map((values) => passAt(values, k));
}

function passes(values: readonly number[]): number {
  return values.filter((value) => value >= 1).length;
}

/** The chance that one of k values that are drawn without putting back passes. */
function passAt(values: readonly number[], k: number): number {
  const failed = values.length - passes(values);
  if (failed < k) return 1;
  let allFail = 1;
  for (let i = failed + 1; i <= values.length; i++) allFail *= 1 - k / i;
  return 1 - allFail;
}
