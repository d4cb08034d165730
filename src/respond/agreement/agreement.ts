import type { CertifiedRate } from "../../stats/agreement/certificate.ts";
import type { JudgeAccuracy } from "../../stats/agreement/judge-accuracy.ts";
import type { Interval } from "../../stats/estimates/mean.ts";

/** Agreement of two score dimensions, trial by trial. A quantity that does not exist is null, never NaN. */
export interface AgreementResponse {
  /** The first dimension, taken as the truth. */
  readonly a: AgreementSide;
  /** The second dimension, taken as the judge. */
  readonly b: AgreementSide;
  /** Confidence level of the intervals. */
  readonly confidence: number;
  /** Trials with a value in both dimensions. */
  readonly n_both: number;
  /** Trials with a value in `a` only. */
  readonly n_only_a: number;
  /** Trials with a value in `b` only. */
  readonly n_only_b: number;
  /** Trials on which as many people say true as say false in `a` or `b`; `feedback_by` decides them. */
  readonly n_tied: number;
  /** Rows with at least one trial that has both values; rows are the sampling units of the intervals. */
  readonly row_count: number;
  /** Share of trials with equal values among those with both. */
  readonly raw_agreement: number;
  /** Confidence interval of `raw_agreement` from resampled rows; Wilson's of the rows where all trials agree. */
  readonly raw_agreement_interval: Interval | null;
  /** Cohen's kappa; null where there are too many categories. */
  readonly cohen_kappa: number | null;
  /**
   * Confidence interval of `cohen_kappa` from resampled rows; where all trials agree, from that of `raw_agreement`,
   * with the agreement by chance as it is.
   */
  readonly cohen_kappa_interval: Interval | null;
  /** Cohen's κ with disagreement weighted by distance; null unless the values are ratings. */
  readonly weighted_kappa: { readonly linear: number | null; readonly quadratic: number | null } | null;
  /** Krippendorff's α for nominal values. */
  readonly krippendorff_alpha: number | null;
  /** `counts[i][j]`: trials where a is `categories[i]` and b is `categories[j]`. */
  readonly confusion_matrix: ConfusionMatrix | null;
  /** Accuracy of b as a judge with a as the truth; null unless the values are booleans. */
  readonly judge: JudgeAccuracy | null;
  /** Whether the judge is good enough; only where `at_least` is asked for. */
  readonly certificate?: JudgeCertificate;
  /** Pearson correlation; null for texts. */
  readonly pearson: number | null;
  /** Spearman rank correlation; null for texts. */
  readonly spearman: number | null;
  /** Kendall rank correlation, tau-b; null for texts and where too many distinct pairs occur. */
  readonly kendall_tau_b: number | null;
  /** The mean of a as estimated with b, one entry per evaluation; null for texts. */
  readonly corrected_means: readonly CorrectedMean[] | null;
  /** How rows were resampled for the intervals of agreement; null where none were. */
  readonly bootstrap: BootstrapDescription | null;
  /** Remarks on the request for the reader. */
  readonly warnings: readonly string[];
}

/** What labels show of a judge that is to find at least a share of the true and of the false ones. */
export interface JudgeCertificate {
  /** The share that is asked for. */
  readonly at_least: number;
  /** Whether `lower` of both rates is at least that. */
  readonly certified: boolean;
  /** Of the labels that are true. */
  readonly sensitivity: CertifiedRate;
  /** Of the labels that are false. */
  readonly specificity: CertifiedRate;
}

/** The parameters of a bootstrap, which make it reproducible. */
export interface BootstrapDescription {
  /** How intervals are computed from the resamples. */
  readonly method: "percentile";
  /** The unit of resampling. */
  readonly unit: "row";
  /** Number of resamples. */
  readonly resamples: number;
  /** Seed of the random numbers, derived from the request. */
  readonly seed: number;
}

/** One of the two score dimensions of an agreement. */
export interface AgreementSide {
  /** The scorer. */
  readonly scorer_key: string;
  /** Members below the scorer, joined by dots; null where the score itself is the value. */
  readonly path: string | null;
  /** The type of the dimension's values: numbers, booleans or texts. */
  readonly value_type: "continuous" | "binary" | "text";
}

/** How often each value of the first dimension occurs together with each value of the second. */
export interface ConfusionMatrix {
  /** The categories of the values, in order. */
  readonly categories: readonly (boolean | number | string)[];
  /** Trial counts indexed by the category of `a` (outer) and of `b` (inner). */
  readonly counts: readonly (readonly number[])[];
}

/**
 * PPI++ estimate: the judge's mean over rows, corrected with the rows that have both values (Angelopoulos et al.,
 * arXiv 2311.01453).
 */
export interface CorrectedMean {
  /** Id of the evaluation's root call. */
  readonly evaluation_call_id: string;
  /** Rows with a trial that has both values. */
  readonly n_labelled: number;
  /** The other rows with a value of `b`. */
  readonly n_unlabelled: number;
  /** Mean of `a` over the labelled rows, of their trials with both values. */
  readonly human_mean: number | null;
  /** Mean of `b` over the same trials. */
  readonly judge_mean_labelled: number | null;
  /** Mean of `b` over the unlabelled rows. */
  readonly judge_mean_unlabelled: number | null;
  /** Weight of the judge's scores in the estimate, from 0 to 1. */
  readonly lambda: number | null;
  /** The corrected mean of `a`; within 0 and 1 where every label is true or false, or 0 or 1. */
  readonly estimate: number | null;
  /** Standard error of `estimate` over rows. */
  readonly standard_error: number | null;
  /**
   * Confidence interval of `estimate` at the confidence of the answer: Student's t with two degrees of freedom less
   * than `n_labelled`; of labels that are 0 or 1 Wilson's, with t and the effective number of rows.
   */
  readonly confidence_interval: Interval | null;
  /** Whether the judge has its certificate; only where `at_least` is asked for. */
  readonly judge_certified?: boolean;
}
