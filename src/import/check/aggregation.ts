import type { Json } from "../../model/json.ts";
import { agrees, figureOf, unchecked } from "./agreement.ts";
import { meanOf, varianceOf } from "./moments.ts";

type Aggregation = (values: readonly number[]) => number;

const AGGREGATIONS: ReadonlyMap<string, Aggregation> = new Map<string, Aggregation>([
  ["mean", meanOf],
  ["nanmean", (values) => meanOf(values.filter((value) => !Number.isNaN(value)))],
  ["perplexity", (values) => Math.exp(-meanOf(values))],
]);

/** A figure of a metric as a log states it, and how it is made of the values of the documents; null where the log does not say. */
interface AggregateFigure {
  readonly evaluation: string;
  readonly key: string;
  /** What is said of it where it is not checked. */
  readonly what: string;
  readonly stated: Json;
  readonly aggregation: string | null;
  /** Whether it is the standard error of the metric. */
  readonly isError: boolean;
}

/** Compares a figure with what the values give. One that is made in an unknown way counts where it is their mean. */
export function aggregateFigure(
  { evaluation, key, what, stated, aggregation, isError }: AggregateFigure,
  values: readonly number[],
) {
  const skipped = (why: string) => unchecked(what, why);
  const known = AGGREGATIONS.get(aggregation ?? "");
  if (typeof stated !== "number") return skipped("no number is stated");
  if (values.length === 0) return skipped("no document has a number; it is a figure of the whole task");
  if (isError && aggregation !== null && aggregation !== "mean")
    return skipped("the error is a random figure");
  const computed = isError ? Math.sqrt(varianceOf(values) / values.length) : (known ?? meanOf)(values);
  const found = figureOf(evaluation, key, isError ? "stderr" : (aggregation ?? "mean"), stated, computed);
  if (known === undefined && !agrees(found.figure)) return skipped("how it is computed is not known");
  return found;
}
