import { z } from "zod";
import type { InputPath } from "../errors.ts";
import { parseFieldPath, type InputField } from "../model/field-path.ts";
import { schemaError, WORDING } from "../model/schema-issues.ts";
import type { EvalRequest } from "./eval-request.ts";
import { meaningless } from "./meaningless.ts";
import { parseRequest } from "./parse-request.ts";
import type { EvalResultsRequest } from "./eval-results-request.ts";
import {
  checkWeights,
  readConditions,
  TASK_WEIGHTS,
  whereWire,
  type RootCondition,
  type TaskWeights,
  type WhereValue,
} from "./where.ts";
import { evalResultsRequest, inputField } from "./wire.ts";

/** Members with the same meaning as in a query; the query parser checks them. */
const SCOPE = [
  "filters",
  "filter_logic_operator",
  "include_predict_and_score_children",
  "include_feedback",
  "feedback_by",
  "derived_scores",
  "count_errors_as",
] as const;

const MAX_CANDIDATES = 200;
const MAX_NAMES = 1000;
const names = z.array(z.string().min(1)).min(1).max(MAX_NAMES).nullish();

const own = {
  baseline: z.string(),
  candidates: z.array(z.string()).min(1).max(MAX_CANDIDATES),
  by: z.enum(["evaluation", "model"]).nullish(),
  where: whereWire.nullish(),
  weights: z.enum(TASK_WEIGHTS).nullish(),
  scorers: names,
  confidence: z.number().gt(0).lt(1).nullish(),
  adjust: z.enum(["holm", "benjamini-hochberg", "none"]).nullish(),
  baseline_is_best: z.boolean().nullish(),
  margin: z.number().gt(0).nullish(),
  lower_is_better: names,
  higher_is_better: names,
  cluster_by: inputField.nullish(),
  corrected_by: z.strictObject({ human: z.string().min(1) }).nullish(),
};

const compareRequest = z.strictObject({
  ...own,
  ...Object.fromEntries(SCOPE.map((name) => [name, z.unknown().optional()])),
});

/** The wire format of a comparison request, for descriptions; `parseCompareRequest` is what checks one. */
export const compareRequestWire = z
  .strictObject({
    ...own,
    ...evalResultsRequest.pick({
      filters: true,
      filter_logic_operator: true,
      include_predict_and_score_children: true,
      include_feedback: true,
      feedback_by: true,
      derived_scores: true,
      count_errors_as: true,
    } satisfies Record<(typeof SCOPE)[number], true>).shape,
  })
  .meta({ id: "CompareRequest" });

/** A baseline, the evaluations to compare with it, and how; null means left out. */
export interface CompareRequest extends Pick<EvalResultsRequest, (typeof SCOPE)[number]> {
  /** Id of the evaluation that the candidates are compared with; by `model`, the name of a model. */
  readonly baseline: string;
  /** Ids of the evaluations to compare with the baseline, 1 to 200; by `model`, names of models. */
  readonly candidates: readonly string[];
  /**
   * What is compared. `evaluation` (default), or `model`: of each model the latest evaluation of each task (`inputs.self` of
   * the root call), on the tasks that both have. Not together with `cluster_by` or `corrected_by`.
   */
  readonly by?: "evaluation" | "model" | null | undefined;
  /** By `model`, the evaluations that are taken, by fields of their root call as in a leaderboard. */
  readonly where?: Readonly<Record<string, WhereValue | readonly WhereValue[]>> | null | undefined;
  /**
   * How tasks weigh by `model`. `rows` (default): the differences of all rows as one list. `tasks`: the mean over tasks of the
   * mean difference.
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
   * Dimensions or scorers whose higher values are better. It changes no figure; without it and `lower_is_better` texts say
   * "higher" and "lower" of numbers, not "better" and "worse".
   */
  readonly higher_is_better?: readonly string[] | null | undefined;
  /** A field of the row, `inputs.<path>`; rows with the same value form a cluster of dependent rows. */
  readonly cluster_by?: InputField | null | undefined;
  /**
   * A score that people gave on some rows, such as `feedback.correct`: the other scores are judges, whose differences are
   * corrected with it. Not together with `cluster_by` or `baseline_is_best`.
   */
  readonly corrected_by?: { readonly human: string } | null | undefined;
}

/**
 * How the p values of an answer are adjusted for multiple testing. `holm`: the chance of any false verdict in the answer is
 * at most 1 − `confidence` (Holm 1979). `benjamini-hochberg`: of the verdicts, about 1 − `confidence` are false. `none`: each
 * verdict alone has that chance of being false.
 */
export type Adjustment = "benjamini-hochberg" | "holm" | "none";

/** The same over all pairs of evaluations; `ranges` is as safe as `holm` and finds more (Ryan, Einot, Gabriel and Welsch). */
export type PairAdjustment = Adjustment | "ranges";

/** A score dimension, or a scorer with all its dimensions; `loc` is its location in the request. */
export interface NamedPlace {
  readonly name: string;
  readonly path: readonly string[];
  readonly loc: InputPath;
}

/** A comparison request after it is checked. */
export interface Comparing {
  readonly baseline: string;
  readonly candidates: readonly string[];
  /** null where evaluations are compared. */
  readonly models: { readonly where: readonly RootCondition[]; readonly weights: TaskWeights } | null;
  /** null means all. */
  readonly scorers: readonly NamedPlace[] | null;
  readonly confidence: number;
  readonly adjust: Adjustment;
  /** How all pairs are adjusted where the baseline was chosen for its mean; else null. */
  readonly ranking: PairAdjustment | null;
  readonly margin: number | null;
  readonly lowerIsBetter: readonly NamedPlace[];
  readonly higherIsBetter: readonly NamedPlace[];
  /** The score of people that corrects the others; null where none does. */
  readonly correctedBy: NamedPlace | null;
  /** Selects the evaluations, baseline first, and the rows. */
  readonly request: EvalRequest;
}

/** Checks a comparison request. Throws `RequestError` with every issue found. */
export function parseCompareRequest(input: unknown): Comparing {
  const parsed = compareRequest.safeParse(input, WORDING);
  if (!parsed.success) throw schemaError(parsed.error);
  const { baseline, candidates, scorers, confidence, adjust, margin, baseline_is_best, ...others } =
    parsed.data;
  const { lower_is_better, higher_is_better, cluster_by, corrected_by, by, where, weights, ...rest } = others;
  checkWeights(by, { where, weights }, by === "model" ? { cluster_by, corrected_by } : {});
  checkCandidates(baseline, candidates);
  const chosen = scorers == null ? null : readDimensions(scorers, "scorers");
  const correctedBy =
    corrected_by == null ? null : readCorrection(corrected_by.human, others, baseline_is_best);
  const feedback = [...(chosen ?? []), ...(correctedBy === null ? [] : [correctedBy])].some(
    ({ path }) => path[0] === "feedback",
  );
  const request = parseRequest({
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
    models: by === "model" ? { where: readConditions(where ?? {}), weights: weights ?? "rows" } : null,
    scorers: chosen,
    confidence: confidence ?? 0.95,
    adjust: adjust ?? "holm",
    ranking: baseline_is_best === true ? (adjust ?? "ranges") : null,
    margin: margin ?? null,
    ...readSides({ lower_is_better, higher_is_better }),
    correctedBy,
    request,
  };
}

/** Corrected differences know neither clusters of rows nor all pairs of evaluations. */
function readCorrection(
  name: string,
  { cluster_by }: Pick<CompareRequest, "cluster_by">,
  baselineIsBest: boolean | null | undefined,
): NamedPlace {
  const other = cluster_by != null ? "cluster_by" : baselineIsBest === true ? "baseline_is_best" : null;
  if (other !== null)
    throw meaningless([other], "does not go together with corrected_by; leave one of them out");
  return readDimension(name, ["corrected_by", "human"]);
}

function checkCandidates(baseline: string, candidates: readonly string[]): void {
  for (const [i, id] of candidates.entries()) {
    if (id === baseline) throw meaningless(["candidates", i], "the baseline is not compared with itself");
    if (candidates.indexOf(id) !== i)
      throw meaningless(["candidates", i], `${JSON.stringify(id)} is named twice`);
  }
}

/** Reads which side of which dimensions is better. Throws `RequestError` on a name that stands on both sides. */
export function readSides({
  lower_is_better: lower,
  higher_is_better: higher,
}: Pick<CompareRequest, "lower_is_better" | "higher_is_better">): Pick<
  Comparing,
  "lowerIsBetter" | "higherIsBetter"
> {
  const both = (higher ?? []).findIndex((name) => lower?.includes(name));
  if (both !== -1)
    throw meaningless(
      ["higher_is_better", both],
      `${JSON.stringify(higher?.[both])} is named in lower_is_better too`,
    );
  return {
    lowerIsBetter: readDimensions(lower ?? [], "lower_is_better"),
    higherIsBetter: readDimensions(higher ?? [], "higher_is_better"),
  };
}

/** Reads names such as `judge.score`, the value of this member of a request. Throws `RequestError`. */
export function readDimensions(list: readonly string[], member: string): NamedPlace[] {
  return list.map((name, i) => readDimension(name, [member, i]));
}

function readDimension(name: string, loc: InputPath): NamedPlace {
  const field = parseFieldPath(`scores.${name}`);
  if ("error" in field) throw meaningless(loc, field.error);
  return { name, path: field.segments, loc };
}
