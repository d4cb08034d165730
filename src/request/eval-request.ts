import type { Lacking } from "../model/counting.ts";
import type { FieldPath } from "../model/field-path.ts";
import type { DerivedScoreText } from "./derived-scores.ts";
import type { EvaluationName, IdOf } from "./evaluation-name.ts";
import type { Expression } from "./expression.ts";
import type { NamedPlace } from "./named-places.ts";
import type { SlicesAsked } from "./slice-by.ts";
import type { PriceList } from "./wire.ts";

export type PassKAsked = readonly number[] | "auto";

/** How the feedback of several people on one trial becomes one value. */
export type FeedbackBy = "majority" | "mean" | "latest";

/** A score dimension in which trials without a value count. */
export interface CountedDimension {
  /** As the request names it. */
  readonly name: string;
  readonly path: readonly string[];
  readonly number: number;
}

/** What trials count as where they have no value: one number in all dimensions, or one in each of some. */
export type CountAs = { readonly all: number } | { readonly dimensions: readonly CountedDimension[] };

/** Trials without a value that count as one. */
export interface Counting {
  readonly of: Lacking;
  readonly as: CountAs;
}

/** A request after it is checked, with defaults filled in; `Evaluation` is how it names an evaluation. */
export interface EvalRequest<Evaluation = string> {
  /** In the order of the request; ids are distinct. */
  readonly evaluationIds: readonly Evaluation[];
  readonly requireIntersection: boolean;
  readonly summaryRequireIntersection: boolean;
  readonly includeRows: boolean;
  readonly includeSummary: boolean;
  readonly rawRows: "none" | "references" | "resolved";
  readonly includeChildren: boolean;
  readonly includeTrialErrors: boolean;
  readonly includeDetails: boolean;
  /** For costs; null where costs are not wanted. */
  readonly prices: PriceList | null;
  /** Whether trials have their model output, whole or as one line; false leaves it null. */
  readonly includeOutputs: boolean | "line";
  /** How much of outputs and raw rows that are long trials and rows have. */
  readonly longValues: "whole" | "start" | "head";
  /** Whether feedback counts as scores of the scorer `feedback`. */
  readonly includeFeedback: boolean;
  readonly feedbackBy: FeedbackBy;
  /** Scores that are computed from others; their expressions are not parsed yet. */
  readonly derivedScores: readonly DerivedScoreText[];
  /** Empty: trials without a value count nowhere. */
  readonly countings: readonly Counting[];
  readonly includeUncertainty: boolean;
  /** A JSON pointer into the row; null where rows are independent. */
  readonly clusterBy: string | null;
  /** null without slices. */
  readonly slices: SlicesAsked<Evaluation> | null;
  /** Distinct, ascending; `auto`: as rows have trials. */
  readonly passK: PassKAsked;
  readonly includeUsage: boolean;
  readonly includeStopReasons: boolean;
  /** The dimension that says whether a trial passed; null: the first that may. */
  readonly success: readonly string[] | null;
  readonly includeRowCounts: boolean;
  readonly includeErrors: boolean;
  /** Prices of the dimension `cost`; null without it. */
  readonly costDimension: PriceList | null;
  /** Dimensions of steps that are named beside scores. */
  readonly stepDimensions: readonly NamedPlace[];
  /** The evaluations that say how difficult rows are; null: all others that finished. */
  readonly difficultyFrom: readonly Evaluation[] | null;
  /** In which score, where a field does not name one; null: in that of success. */
  readonly difficultyOf: readonly string[] | null;
  /** null without histograms. */
  readonly histogramBins: number | null;
  readonly sortBy: readonly ParsedSortKey<Evaluation>[];
  /** null keeps rows that did not move too. */
  readonly moved: ParsedMove<Evaluation> | null;
  /** Keeps only rows on which an evaluation has no number in the field; null keeps all. */
  readonly missing: FieldPath | null;
  /** Keeps only rows whose input or outputs hold the text; null keeps all. */
  readonly search: string | null;
  readonly filters: readonly ParsedFilter<Evaluation>[];
  readonly filterLogic: "and" | "or";
  readonly limit: number | null;
  readonly offset: number;
}

/** A request as it was sent, with the names by which it calls evaluations. */
export type AskedRequest = EvalRequest<EvaluationName>;

/** The request with an id for each name. */
export function withIds(request: AskedRequest, idOf: IdOf): EvalRequest {
  const idIn = (name: EvaluationName | null) => (name === null ? null : idOf(name));
  const { evaluationIds, sortBy, moved, filters, slices, difficultyFrom } = request;
  const usage = slices?.usage == null ? null : { ...slices.usage, of: idIn(slices.usage.of) };
  return {
    ...request,
    slices: slices === null ? null : { ...slices, usage },
    evaluationIds: [...new Set(evaluationIds.map(idOf))],
    difficultyFrom: difficultyFrom === null ? null : difficultyFrom.map(idOf),
    sortBy: sortBy.map((key) => ({ ...key, evaluationId: idIn(key.evaluationId) })),
    moved: moved === null ? null : { ...moved, baselineId: idIn(moved.baselineId) },
    filters: filters.map((filter) => ({ ...filter, evaluationId: idIn(filter.evaluationId) })),
  };
}

export interface ParsedSortKey<Evaluation = string> {
  readonly field: FieldPath;
  readonly descending: boolean;
  readonly evaluationId: Evaluation | null;
  readonly mode: "value" | "difference";
}

/** A condition on the means of a row in different evaluations. */
export interface ParsedMove<Evaluation = string> {
  readonly field: FieldPath;
  /** null: any two evaluations may differ; `direction` is then `any`. */
  readonly baselineId: Evaluation | null;
  readonly direction: "any" | "up" | "down";
}

export interface ParsedFilter<Evaluation = string> {
  readonly condition: Expression;
  readonly evaluationId: Evaluation | null;
  readonly quantifier: "any" | "all" | "first" | "mean";
}
