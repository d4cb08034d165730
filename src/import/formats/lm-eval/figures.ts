import type { Json } from "../../../model/json.ts";
import { agrees, figureOf, unchecked } from "../../check/agreement.ts";
import { meanOf, varianceOf } from "../../check/moments.ts";
import type { ScoreBook } from "../../check/score-book.ts";
import type { LogEvaluation, LogItem } from "../../translate/log-parts.ts";
import { aggregationOf, type ListMeans } from "./list-means.ts";
import type { LmEvalTask } from "./run.ts";
import { FIGURE, scoreKey } from "./score-key.ts";

/** What was read of a task. */
interface Counts {
  readonly documents: number;
  readonly refused: number;
  readonly repeated: number;
}

/** What figures are computed from, and the figures that were, by their names. */
interface Computing {
  readonly book: ScoreBook;
  readonly lists: ListMeans;
  readonly computed: Map<string, number>;
}

/** The figures that a results file states of a task. */
export function* taskFigures(
  task: LmEvalTask,
  { id, task: name }: LogEvaluation,
  { book, lists, computed }: Computing,
  { documents, refused, repeated }: Counts,
): Generator<LogItem> {
  if (refused + repeated > 0 || (task.documents !== null && task.documents !== documents)) {
    const parts = `${documents} of ${task.documents ?? "the"} documents were read`;
    const why = repeated > 0 ? `${parts}, and ${repeated} lines came again` : parts;
    if (refused === 0) yield { kind: "note", text: `${name}: ${why}` };
    yield unchecked(name, why);
    return;
  }
  if (task.documents !== null) yield figureOf(id, null, "n-samples", task.documents, documents);
  for (const [figureName, stated] of Object.entries(task.stated)) {
    const [, metric, stderr, filter] = FIGURE.exec(figureName) ?? [];
    if (metric === undefined || filter === undefined || (stderr !== undefined && stated === "N/A")) continue;
    const key = scoreKey(metric, filter);
    const place = { id, key, metric, what: `${name} ${figureName}` };
    const values = book.find(id, [key])?.values ?? [];
    const isError = stderr !== undefined;
    const mean = lists.find(key);
    const item =
      mean === null
        ? metricFigure(task, place, isError, stated, values)
        : listFigure(place, isError, stated, mean);
    if (item.kind === "figure") computed.set(figureName, item.figure.computed ?? Number.NaN);
    yield item;
  }
}

interface Place {
  readonly id: string;
  readonly key: string;
  readonly metric: string;
  readonly what: string;
}

type Aggregation = (values: readonly number[]) => number;

const AGGREGATIONS: ReadonlyMap<string, Aggregation> = new Map<string, Aggregation>([
  ["mean", meanOf],
  ["nanmean", (values) => meanOf(values.filter((value) => !Number.isNaN(value)))],
  ["perplexity", (values) => Math.exp(-meanOf(values))],
]);

function metricFigure(
  task: LmEvalTask,
  { id, key, metric, what }: Place,
  isError: boolean,
  stated: Json,
  values: readonly number[],
): LogItem {
  const aggregation = aggregationOf(task.config, metric);
  const compute = AGGREGATIONS.get(aggregation ?? "mean");
  const skipped = (why: string) => unchecked(what, why);
  if (typeof stated !== "number") return skipped("no number is stated");
  if (values.length === 0) return skipped("no document has a number; it is a figure of the whole task");
  if (compute === undefined) return skipped("how it is computed is not known");
  if (isError && aggregation !== null && aggregation !== "mean")
    return skipped("the error is a random figure");
  const computed = isError ? Math.sqrt(varianceOf(values) / values.length) : compute(values);
  const found = figureOf(id, key, isError ? "stderr" : (aggregation ?? "mean"), stated, computed);
  // Tasks written in Python have metrics of their own, of which the log says no more than the name.
  if (aggregation === null && found.kind === "figure" && !agrees(found.figure))
    return skipped("the log does not say how it is computed");
  return found;
}

/** The figure of a metric that is a list in each document: over all members of all lists. */
function listFigure({ id, key, what }: Place, isError: boolean, stated: Json, mean: number): LogItem {
  const found = typeof stated === "number" ? figureOf(id, key, "mean", stated, mean) : null;
  if (found !== null && !isError && agrees(found.figure)) return found;
  return unchecked(what, "the log does not say how it is computed");
}
