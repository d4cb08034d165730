import { z } from "zod";
import { confidenceLevel, scoreName } from "../model/arguments.ts";
import type { By, InputField, UsageBy } from "../model/field-path.ts";
import { names } from "./named-places.ts";
import { sliceWire, usageWire } from "./slice-by.ts";
import { TASK_WEIGHTS, whereWire, type TaskWeights, type WhereValue } from "./where.ts";
import type { QueryMembers } from "./query-members.ts";
import { scopeWire, unchecked } from "./scope.ts";
import { editedRows, type EditedRows } from "./compared-sides.ts";
import { inputField, priceList, type PriceList } from "./wire.ts";

export const MOST_CANDIDATES = 200;

const several = z.array(z.string()).min(1).max(MOST_CANDIDATES);
const pairs = z
  .array(z.strictObject({ baseline: z.string(), candidate: z.string() }))
  .min(1)
  .max(MOST_CANDIDATES);
/** One of the two: a baseline with its candidates, or pairs. */
const baselineSides = { baseline: z.string(), candidates: several };
const pairSides = { pairs };

const OWN = {
  by: z.union([sliceWire.by.unwrap().unwrap(), usageWire]).nullish(),
  max_slices: sliceWire.max_slices,
  where: whereWire.nullish(),
  weights: z.enum(TASK_WEIGHTS).nullish(),
  scorers: names,
  confidence: confidenceLevel.nullish(),
  adjust: z.enum(["holm", "benjamini-hochberg", "none"]).nullish(),
  baseline_is_best: z.boolean().nullish(),
  margin: z.number().gt(0).nullish(),
  lower_is_better: names,
  higher_is_better: names,
  edited_rows: editedRows.nullish(),
  cluster_by: inputField.nullish(),
  corrected_by: z.strictObject({ human: scoreName }).nullish(),
  costs: z
    .boolean()
    .nullish()
    .describe("Compares what rows cost, as the score `cost`. Default: with `prices`."),
  prices: priceList.nullish().describe("Money per million tokens, by model, for calls that state no cost."),
};

const members = { ...OWN, ...unchecked(scopeWire) };
export const ofBaseline = z.strictObject({ ...baselineSides, pairs: z.null().optional(), ...members });
export const ofPairs = z.strictObject({
  ...pairSides,
  baseline: z.null().optional(),
  candidates: z.null().optional(),
  ...members,
});

/** The wire format of a comparison request, for descriptions; `parseCompareRequest` is what checks one. */
export const compareRequestWire = z
  .strictObject({
    baseline: z.string().optional(),
    candidates: several.optional(),
    pairs: pairs.optional().describe("Instead of baseline and candidates."),
    ...OWN,
    ...scopeWire,
  })
  .meta({ id: "CompareRequest" });

/** What to compare, and how; null means left out. */
export interface CompareRequest extends QueryMembers {
  /**
   * The evaluation that the candidates are compared with; by `model`, the name of a model. `previous` (default): each
   * candidate with the latest evaluation of its name that started before it, finished, and has a value of some score.
   */
  readonly baseline?: string | null | undefined;
  /**
   * The evaluations to compare with the baseline, 1 to 200; by `model`, names of models. Default: the latest
   * evaluation.
   */
  readonly candidates?: readonly string[] | null | undefined;
  /**
   * Instead of both, 1 to 200 candidates with a baseline each, all of them one family. Not together with
   * `baseline_is_best`.
   */
  readonly pairs?: readonly { readonly baseline: string; readonly candidate: string }[] | null | undefined;
  /**
   * What is compared. `evaluation` (default), or `model`: of each model the latest evaluation of each task
   * (`inputs.self` of the root call), on the tasks that both have. Not together with `cluster_by` or `corrected_by`.
   *
   * Or one or two fields, `inputs.<path>` of the row or `attributes.<path>` of the call of the trial: each value of
   * them is a slice, and the answer tells the slices of each comparison. `auto` tries the fields of `inputs` and takes
   * the one that tells most. Not together with `model` or `corrected_by`.
   *
   * Or what rows took in a run: `{ usage: "steps.count", bins: 3, of: "main~1" }`.
   */
  readonly by?: By | UsageBy | null | undefined;
  /** How many slices are judged, those with most rows: 1 to 200, default 20. */
  readonly max_slices?: number | null | undefined;
  /** By `model`, the evaluations that are taken, by fields of their root call as in a leaderboard. */
  readonly where?: Readonly<Record<string, WhereValue | readonly WhereValue[]>> | null | undefined;
  /**
   * How tasks weigh by `model`. `rows` (default): the differences of all rows as one list. `tasks`: the mean over tasks
   * of the mean difference.
   */
  readonly weights?: TaskWeights | null | undefined;
  /** Score dimensions, or scorers with all their dimensions: `judge.score`, `judge`. Default: all. */
  readonly scorers?: readonly string[] | null | undefined;
  /** Confidence level of the intervals, and 1 − α of the verdicts. Default 0.95. */
  readonly confidence?: number | null | undefined;
  /** How the p values of the answer are adjusted for multiple testing. Default `holm`. */
  readonly adjust?: Adjustment | null | undefined;
  /**
   * Whether the baseline was chosen because its mean is the best. Then p values are adjusted over all pairs of these
   * evaluations (`ranges` by default), and the answer has `ranks`.
   */
  readonly baseline_is_best?: boolean | null | undefined;
  /** Differences within ±`margin`, in units of the score, count as none; allows the verdict `equivalent`. */
  readonly margin?: number | null | undefined;
  /** Dimensions or scorers whose lower values are better. */
  readonly lower_is_better?: readonly string[] | null | undefined;
  /**
   * Dimensions or scorers whose higher values are better. Without it and `lower_is_better` that is as the candidate
   * says, else the baseline (`attributes.directions`); true and false and rates are better higher, costs lower; other
   * scores can only have `moved`.
   */
  readonly higher_is_better?: readonly string[] | null | undefined;
  /**
   * Rows of one key that the sides hold differently are compared by default; not left out by `model`, nor from the best
   * baseline.
   */
  readonly edited_rows?: EditedRows | null | undefined;
  /** A field of the row, `inputs.<path>`; rows with the same value form a cluster of dependent rows. */
  readonly cluster_by?: InputField | null | undefined;
  /**
   * A score that people gave on some rows, such as `feedback.correct`: the other scores are judges, whose differences
   * are corrected with it. Not together with `cluster_by` or `baseline_is_best`.
   */
  readonly corrected_by?: { readonly human: string } | null | undefined;
  /**
   * Whether what a row costs, in money, is compared too, as the score `cost` (`evalcube.cost` where a scorer has that
   * name); lower is better. Reading them takes a pass over the calls of all trials. Default: where `prices` are given.
   */
  readonly costs?: boolean | null | undefined;
  /** Prices for calls that carry no cost of their own. */
  readonly prices?: PriceList | null | undefined;
}

/**
 * How the p values of an answer are adjusted for multiple testing. `holm`: the chance of any false verdict in the
 * answer is at most 1 − `confidence` (Holm 1979). `benjamini-hochberg`: of the verdicts, about 1 − `confidence` are
 * false. `none`: each verdict alone has that chance of being false.
 */
export type Adjustment = "benjamini-hochberg" | "holm" | "none";

/**
 * The same over all pairs of evaluations; `ranges` is as safe as `holm` and finds more (Ryan, Einot, Gabriel and
 * Welsch).
 */
export type PairAdjustment = Adjustment | "ranges";
