import { meanOf, varianceOf } from "./moments.ts";
import { numberAt } from "../read/members.ts";
import type { Json } from "../../model/json.ts";

/** A figure that the log states, beside what was computed from the imported trials. */
export interface StatedFigure {
  /** Null for a figure of the whole log. */
  readonly evaluation_call_id: string | null;
  /** Null for a figure of the whole evaluation. */
  readonly scorer_key: string | null;
  /** Members inside the score, joined by dots; null for the score itself. */
  readonly path: string | null;
  /** What was computed, such as `accuracy`. */
  readonly stat: string;
  /** The figure that the log states. */
  readonly stated: number;
  /** The figure of the imported trials; null where there is none. */
  readonly computed: number | null;
  /** The rule by which they agree, where there is one, such as `nulls as failures (--count-nulls-as 0)`. */
  readonly explained_by?: string;
}

/** What the comparison of stated with computed figures gave. */
export interface ImportChecks {
  /** Figures that agree. */
  readonly agree: number;
  /** Figures that do not. */
  readonly differ: readonly StatedFigure[];
  /** Figures that could not be computed, and why. */
  readonly unchecked: readonly { readonly what: string; readonly why: string }[];
}

/** A figure as a part of a log. `of`: the score, or the path to a member inside it; null for no score. */
export function figureOf(
  evaluation: string | null,
  of: string | readonly string[] | null,
  stat: string,
  stated: number,
  computed: number,
): { readonly kind: "figure"; readonly figure: StatedFigure } {
  const [key = null, ...inside] = [of ?? []].flat();
  const path = inside.length === 0 ? null : inside.join(".");
  return {
    kind: "figure",
    figure: { evaluation_call_id: evaluation, scorer_key: key, path, stat, stated, computed },
  };
}

/** The figures that a log states under these names, beside what they were computed to be. */
export function* numberFigures(
  evaluation: string | null,
  key: string | null,
  stated: Json,
  computed: Readonly<Record<string, number>>,
) {
  for (const [name, number] of Object.entries(computed)) {
    const value = numberAt(stated, name);
    if (value !== null) yield figureOf(evaluation, key, name, value, number);
  }
}

/** A figure that cannot be computed, as a part of a log, and why. */
export function unchecked(what: string, why: string) {
  return { kind: "unchecked", what, why } as const;
}

const EXACT = 1e-9;

/** Whether two figures are equal but for rounding: by difference, or by difference in relation to the stated one. */
export function agrees({ stated, computed }: StatedFigure, tolerance = EXACT): boolean {
  if (computed === null || !Number.isFinite(computed)) return false;
  const difference = Math.abs(stated - computed);
  return difference <= tolerance || difference <= tolerance * Math.abs(stated);
}

type Aggregation = (values: readonly number[]) => number;

const AGGREGATIONS: ReadonlyMap<string, Aggregation> = new Map<string, Aggregation>([
  ["mean", meanOf],
  ["nanmean", (values) => meanOf(values.filter((value) => !Number.isNaN(value)))],
  ["perplexity", (values) => Math.exp(-meanOf(values))],
]);

/**
 * A figure of a metric as a log states it, and how it is made of the values of the documents; null where the log does
 * not say.
 */
export interface AggregateFigure {
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
