import type { JudgeAccuracy } from "../../stats/agreement/judge-accuracy.ts";
import type { Interval } from "../../stats/estimates/mean.ts";
import type { BootstrapDescription } from "../summary/row-bootstrap.ts";

/** How far two score dimensions agree, trial by trial. What does not exist is null, never NaN. */
export interface AgreementResponse {
  /** The first dimension: the truth. */
  readonly a: AgreementSide;
  /** The second dimension: the judge. */
  readonly b: AgreementSide;
  /** Level of the intervals. */
  readonly confidence: number;
  /** Trials with a value of both. */
  readonly n_both: number;
  /** Trials with a value of `a` alone. */
  readonly n_only_a: number;
  /** Trials with a value of `b` alone. */
  readonly n_only_b: number;
  /** Rows with a trial that has both: the sampling units of the intervals. */
  readonly row_count: number;
  /** Share of equal values. */
  readonly raw_agreement: number;
  /** Confidence interval of `raw_agreement`, by resampled rows. */
  readonly raw_agreement_interval: Interval | null;
  /** Cohen's kappa; null where there are too many categories. */
  readonly cohen_kappa: number | null;
  /** Confidence interval of `cohen_kappa`, by resampled rows. */
  readonly cohen_kappa_interval: Interval | null;
  /** Of ratings: κ with weights by the distance. */
  readonly weighted_kappa: { readonly linear: number | null; readonly quadratic: number | null } | null;
  /** Nominal. */
  readonly krippendorff_alpha: number | null;
  /** `counts[i][j]`: trials where a is `categories[i]` and b is `categories[j]`. */
  readonly confusion_matrix: ConfusionMatrix | null;
  /** Of booleans: b as a judge, a as the truth. */
  readonly judge: JudgeAccuracy | null;
  /** Pearson correlation; null for texts. */
  readonly pearson: number | null;
  /** Spearman rank correlation; null for texts. */
  readonly spearman: number | null;
  /** Kendall rank correlation, tau-b; null for texts, and where too many different pairs occur. */
  readonly kendall_tau_b: number | null;
  /** The mean of a that b stands in for, by evaluation; null for texts. */
  readonly corrected_means: readonly CorrectedMean[] | null;
  /** How the intervals of agreement were found: resampled rows, percentiles. */
  readonly bootstrap: BootstrapDescription<"percentile"> | null;
  /** What the reader should know of the request. */
  readonly warnings: readonly string[];
}

/** A score dimension of an agreement. */
export interface AgreementSide {
  /** The scorer. */
  readonly scorer_key: string;
  /** Members below the scorer, joined by dots; null where the score is a value itself. */
  readonly path: string | null;
  /** Numbers, booleans or texts. */
  readonly value_type: "continuous" | "binary" | "text";
}

/** How often each value of one dimension meets each of the other. */
export interface ConfusionMatrix {
  /** The values that occur, in order. */
  readonly categories: readonly (boolean | number | string)[];
  /** Trials by the values of `a` (outer) and `b` (inner). */
  readonly counts: readonly (readonly number[])[];
}

/** PPI++: the judge's mean over rows, corrected by the rows that have both (Angelopoulos et al., arXiv 2311.01453). */
export interface CorrectedMean {
  /** The evaluation. */
  readonly evaluation_call_id: string;
  /** Rows with both. */
  readonly n_labelled: number;
  /** Rows with trials that have b alone. */
  readonly n_unlabelled: number;
  /** Mean of `a` over rows with both. */
  readonly human_mean: number | null;
  /** Mean of `b` over rows with both. */
  readonly judge_mean_labelled: number | null;
  /** Mean of `b` over rows with `b` alone. */
  readonly judge_mean_unlabelled: number | null;
  /** Weight of the judge. */
  readonly lambda: number | null;
  /** The corrected mean of `a`. */
  readonly estimate: number | null;
  /** Over rows. */
  readonly standard_error: number | null;
  /** Of `estimate`, at the confidence of the answer. */
  readonly confidence_interval: Interval | null;
}
