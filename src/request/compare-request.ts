import { z } from "zod";
import { checkArgument, confidenceLevel, scoreName } from "../model/arguments.ts";
import type { InputPath } from "../errors.ts";
import type { By, InputField } from "../model/field-path.ts";
import { isJsonObject } from "../model/json.ts";
import type { EvalRequest } from "./eval-request.ts";
import { meaningless } from "./meaningless.ts";
import { names, readDimension, readDimensions, readSides, type NamedPlace } from "./named-places.ts";
import { readBy, sliceWire } from "./slice-by.ts";
import { parseRequest } from "./parse-request.ts";
import {
  checkWeights,
  readConditions,
  TASK_WEIGHTS,
  whereWire,
  type RootCondition,
  type TaskWeights,
  type WhereValue,
} from "./where.ts";
import type { QueryMembers } from "./query-members.ts";
import { scopeWire, unchecked } from "./scope.ts";
import {
  checkSides,
  groupSides,
  editedRows,
  type EditedRows,
  pairedSides,
  sidesOf,
  type Side,
} from "./compared-sides.ts";
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
  ...sliceWire,
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
const ofBaseline = z.strictObject({ ...baselineSides, pairs: z.null().optional(), ...members });
const ofPairs = z.strictObject({
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
   */
  readonly by?: By | null | undefined;
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

/** A comparison request after it is checked: what is adjusted together. */
export interface Comparing {
  /** They differ in nothing but the evaluations. */
  readonly groups: readonly [CompareGroup, ...CompareGroup[]];
}

/** A baseline with its candidates, and how they are compared. */
export interface CompareGroup {
  readonly baseline: string;
  readonly candidates: readonly string[];
  /** Where the request names each of the candidates. */
  readonly places: readonly InputPath[];
  readonly baselinePlace: InputPath;
  /** null where evaluations are compared. */
  readonly models: { readonly where: readonly RootCondition[]; readonly weights: TaskWeights } | null;
  /** null means all. */
  readonly scorers: readonly NamedPlace[] | null;
  /** Whether scores that they lack and rows that they do not share are no fault of the request. */
  readonly lenient: boolean;
  readonly confidence: number;
  readonly adjust: Adjustment;
  /** How all pairs are adjusted where the baseline was chosen for its mean; else null. */
  readonly ranking: PairAdjustment | null;
  readonly margin: number | null;
  readonly lowerIsBetter: readonly NamedPlace[];
  readonly higherIsBetter: readonly NamedPlace[];
  /** Whether rows that the two sides hold differently are left out; then there is one candidate. */
  readonly leavesOutEdited: boolean;
  readonly isOnePair: boolean;
  /** The score of people that corrects the others; null where none does. */
  readonly correctedBy: NamedPlace | null;
  /** Selects the evaluations, baseline first, and the rows. */
  readonly request: EvalRequest;
}

type KnownGroup = Pick<CompareGroup, "isOnePair" | "leavesOutEdited">;
type Options = Omit<
  z.output<typeof ofBaseline> | z.output<typeof ofPairs>,
  "baseline" | "candidates" | "pairs"
>;

/**
 * Checks a comparison request. `previous`: its pairs were made of candidates, which errors then name. Throws
 * `RequestError` with every issue found.
 */
export function parseCompareRequest(input: unknown, previous = false): Comparing {
  const inPairs = isJsonObject(input) && input["pairs"] != null;
  const asked = checkArgument(input, inPairs ? ofPairs : ofBaseline);
  const { baseline, candidates: named, pairs: paired, ...options } = asked;
  const sides = paired == null ? sidesOf(baseline ?? "", named ?? []) : pairedSides(paired, previous);
  checkSides(sides);
  if (paired != null && options.baseline_is_best === true)
    throw meaningless(["baseline_is_best"], "does not go together with pairs; leave one of them out");
  const [first = [], ...others] = groupSides(sides, options);
  const known = { isOnePair: sides.length === 1, leavesOutEdited: options.edited_rows === "leave_out" };
  const read = (own: readonly Side[]) => groupOf(own, options, known);
  return { groups: [read(first), ...others.map(read)] };
}

function groupOf(sides: readonly Side[], options: Options, known: KnownGroup): CompareGroup {
  const [{ baseline, baselinePlace }] = sides as readonly [Side];
  const candidates = sides.map(({ candidate }) => candidate);
  const { scorers, confidence, adjust, margin, baseline_is_best, edited_rows: _edited, ...others } = options;
  const { lower_is_better, higher_is_better, cluster_by, corrected_by, by, max_slices, ...rows } = others;
  const { where, weights, costs, prices, ...rest } = rows;
  const { unit, slices } = readCompared({ by, max_slices, where, weights, cluster_by, corrected_by });
  const chosen = scorers == null ? null : readDimensions(scorers, "scorers");
  const correctedBy =
    corrected_by == null ? null : readCorrection(corrected_by.human, others, baseline_is_best);
  const feedback = [...(chosen ?? []), ...(correctedBy === null ? [] : [correctedBy])].some(
    ({ path }) => path[0] === "feedback",
  );
  const parsedRequest = parseRequest({
    include_feedback: feedback,
    ...rest,
    cluster_by,
    evaluation_call_ids: [baseline, ...candidates],
    include_rows: false,
    include_summary: true,
    include_uncertainty: true,
  });
  return {
    baseline,
    candidates,
    places: sides.map(({ place }) => place),
    baselinePlace,
    models: unit === "model" ? { where: readConditions(where ?? {}), weights: weights ?? "rows" } : null,
    scorers: chosen,
    lenient: false,
    confidence: confidence ?? 0.95,
    adjust: adjust ?? "holm",
    ranking: baseline_is_best === true ? (adjust ?? "ranges") : null,
    margin: margin ?? null,
    ...readSides({ lower_is_better, higher_is_better }),
    ...known,
    correctedBy,
    request: { ...parsedRequest, slices, costDimension: wantedPrices({ costs, prices }) },
  };
}

/** What is compared. Slices are of evaluations, and of the scores as they are. */
function readCompared({
  where,
  weights,
  cluster_by,
  corrected_by,
  ...asked
}: Pick<CompareRequest, "where" | "weights" | "cluster_by" | "corrected_by"> & Parameters<typeof readBy>[0]) {
  const read = readBy(asked, ["evaluation", "model", "auto"]);
  const isModel = read.unit === "model";
  checkWeights(read.unit, { where, weights }, isModel ? { cluster_by, corrected_by } : {});
  if (read.slices !== null && isModel)
    throw meaningless(["by"], "slices are of evaluations; leave the field or model out");
  if (read.slices !== null && corrected_by != null)
    throw meaningless(["by"], "slices do not go together with corrected_by; leave one of them out");
  return read;
}

/** The prices of what trials cost; null where costs are not wanted. */
export function wantedPrices({ costs, prices }: Pick<CompareRequest, "costs" | "prices">): PriceList | null {
  return (costs ?? prices != null) ? (prices ?? {}) : null;
}

/** Corrected differences know neither clusters of rows nor all pairs of evaluations, and no label corrects a cost. */
function readCorrection(
  name: string,
  { cluster_by, ...costs }: Pick<CompareRequest, "cluster_by" | "costs" | "prices">,
  baselineIsBest: boolean | null | undefined,
): NamedPlace {
  const others = {
    cluster_by: cluster_by != null,
    baseline_is_best: baselineIsBest === true,
    costs: wantedPrices(costs) !== null,
  };
  const other = Object.entries(others).find(([, isAsked]) => isAsked)?.[0] ?? null;
  if (other !== null)
    throw meaningless([other], "does not go together with corrected_by; leave one of them out");
  return readDimension(name, ["corrected_by", "human"]);
}
