import type { Json } from "../../../model/json.ts";
import { agrees, figureOf, unchecked } from "../../check/agreement.ts";
import { aggregateFigure } from "../../check/aggregation.ts";
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
    const isError = stderr !== undefined;
    if (metric === undefined || filter === undefined || (isError && stated === "N/A")) continue;
    const key = scoreKey(metric, filter);
    const place = { evaluation: id, key, what: `${name} ${figureName}`, stated, isError };
    const mean = lists.find(key);
    const item =
      mean === null
        ? aggregateFigure(
            { ...place, aggregation: aggregationOf(task.config, metric) },
            book.find(id, [key])?.values ?? [],
          )
        : listFigure(place, mean);
    if (item.kind === "figure") computed.set(figureName, item.figure.computed ?? Number.NaN);
    yield item;
  }
}

interface ListFigure {
  readonly evaluation: string;
  readonly key: string;
  readonly what: string;
  readonly stated: Json;
  readonly isError: boolean;
}

/** The figure of a metric that is a list in each document: over all members of all lists. */
function listFigure({ evaluation, key, what, stated, isError }: ListFigure, mean: number) {
  const found = typeof stated === "number" ? figureOf(evaluation, key, "mean", stated, mean) : null;
  if (found !== null && !isError && agrees(found.figure)) return found;
  return unchecked(what, "the log does not say how it is computed");
}
