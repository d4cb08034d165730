import type { JudgeAccuracy } from "../../stats/agreement/judge-accuracy.ts";
import type { Interval } from "../../stats/estimates/mean.ts";
import type { BootstrapDescription } from "../summary/row-bootstrap.ts";

/** How far two score dimensions agree, trial by trial. What does not exist is null, never NaN. */
export interface AgreementResponse {
  readonly a: AgreementSide;
  readonly b: AgreementSide;
  readonly confidence: number;
  /** Trials with a value of both, of a alone and of b alone. */
  readonly n_both: number;
  readonly n_only_a: number;
  readonly n_only_b: number;
  /** Rows with a trial that has both: the sampling units of the intervals. */
  readonly row_count: number;
  /** Share of equal values. */
  readonly raw_agreement: number;
  readonly raw_agreement_interval: Interval | null;
  readonly cohen_kappa: number | null;
  readonly cohen_kappa_interval: Interval | null;
  /** Of ratings: κ with weights by the distance. */
  readonly weighted_kappa: { readonly linear: number | null; readonly quadratic: number | null } | null;
  /** Nominal. */
  readonly krippendorff_alpha: number | null;
  /** `counts[i][j]`: trials where a is `categories[i]` and b is `categories[j]`. */
  readonly confusion_matrix: ConfusionMatrix | null;
  /** Of booleans: b as a judge, a as the truth. */
  readonly judge: JudgeAccuracy | null;
  readonly pearson: number | null;
  readonly spearman: number | null;
  readonly kendall_tau_b: number | null;
  /** The mean of a that b stands in for, by evaluation; null for texts. */
  readonly corrected_means: readonly CorrectedMean[] | null;
  /** How the intervals of agreement were found: resampled rows, percentiles. */
  readonly bootstrap: BootstrapDescription<"percentile"> | null;
  readonly warnings: readonly string[];
}

export interface AgreementSide {
  readonly scorer_key: string;
  readonly path: string | null;
  readonly value_type: "continuous" | "binary" | "text";
}

export interface ConfusionMatrix {
  readonly categories: readonly (boolean | number | string)[];
  readonly counts: readonly (readonly number[])[];
}

/** PPI++: the judge's mean over rows, corrected by the rows that have both (Angelopoulos et al., arXiv 2311.01453). */
export interface CorrectedMean {
  readonly evaluation_call_id: string;
  /** Rows with both. */
  readonly n_labelled: number;
  /** Rows with trials that have b alone. */
  readonly n_unlabelled: number;
  readonly human_mean: number | null;
  readonly judge_mean_labelled: number | null;
  readonly judge_mean_unlabelled: number | null;
  /** Weight of the judge. */
  readonly lambda: number | null;
  readonly estimate: number | null;
  /** Over rows. */
  readonly standard_error: number | null;
  readonly confidence_interval: Interval | null;
}
