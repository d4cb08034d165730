import type { Adjustment } from "./compare-request.ts";
import type { EvalResultsRequest } from "./eval-results-request.ts";
import type { PriceList } from "./wire.ts";

/** Members with the same meaning as in a query; the query parser checks them. */
const SCOPE = [
  "filters",
  "filter_logic_operator",
  "include_predict_and_score_children",
  "include_feedback",
  "derived_scores",
  "count_errors_as",
] as const;

/** Which evaluations a history has, and how they are compared; null means left out. */
export interface HistoryRequest extends Pick<EvalResultsRequest, (typeof SCOPE)[number]> {
  /** The display name of the evaluations. Default: that of the latest evaluation. */
  readonly name?: string | null | undefined;
  /** Score dimensions, or scorers with all their dimensions. The first dimension of the first one is the headline score. */
  readonly scorers?: readonly string[] | null | undefined;
  /** Dimensions or scorers whose lower values are better. */
  readonly lower_is_better?: readonly string[] | null | undefined;
  /** Dimensions or scorers whose higher values are better; it changes words alone, as in a comparison. */
  readonly higher_is_better?: readonly string[] | null | undefined;
  /** Confidence level of the comparisons, and 1 − α of the verdicts. Default 0.95. */
  readonly confidence?: number | null | undefined;
  /** How the p values of the answer are adjusted for multiple testing. Default `holm`. */
  readonly adjust?: Adjustment | null | undefined;
  /** Entries at most, 1 to 200: the latest. Default 20. */
  readonly limit?: number | null | undefined;
  /** Whether costs are read, as the dimension `cost`. Default: where `prices` are given. */
  readonly costs?: boolean | null | undefined;
  /** Prices for calls that carry no cost of their own. */
  readonly prices?: PriceList | null | undefined;
}
