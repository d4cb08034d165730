export { bootstrap } from "./bootstrap.ts";
export type { BootstrapMethod, BootstrapOptions, BootstrapResult } from "./bootstrap.ts";
export { chooseInterval } from "./choose-interval.ts";
export type { ChosenInterval, IntervalMethod, RowSummary } from "./choose-interval.ts";
export { clusteredInterval, clusteredStandardError } from "./clusters.ts";
export type { ClusterCorrection, ClusterId } from "./clusters.ts";
export { kendallTauB, kendallTauBOfCounts, pearson, spearman } from "./correlation.ts";
export type { PairCount } from "./correlation.ts";
export {
  betaCdf,
  betaQuantile,
  binomialCdf,
  binomialQuantile,
  chiSquareCdf,
  chiSquareQuantile,
  chiSquareSurvival,
  normalCdf,
  normalQuantile,
  studentTCdf,
  studentTQuantile,
} from "./distributions.ts";
export { judgeAccuracy, judgeAccuracyOfCounts } from "./judge-accuracy.ts";
export type { JudgeAccuracy } from "./judge-accuracy.ts";
export { cohenKappa, fleissKappa, kappaStandardError } from "./kappa.ts";
export type { KappaWeights } from "./kappa.ts";
export { krippendorffAlpha, krippendorffAlphaOfTable } from "./krippendorff.ts";
export { mcnemar } from "./mcnemar.ts";
export type { McnemarMethod, TestResult } from "./mcnemar.ts";
export { mean, standardError, studentInterval, tInterval } from "./mean.ts";
export type { Interval } from "./mean.ts";
export { benjaminiHochberg, benjaminiYekutieli, bonferroni, holm } from "./multiplicity.ts";
export { equivalenceTest, pairedDifference, studentTest, tost } from "./paired.ts";
export type { EquivalenceTest, PairedDifference, StudentTest } from "./paired.ts";
export { passAtK, passHatK } from "./pass-k.ts";
export { percentile } from "./percentile.ts";
export { pooledStandardError } from "./pooled.ts";
export { minimumDetectableEffect, sampleSize } from "./power.ts";
export { ppi, ppiOfMoments, roganGladen } from "./ppi.ts";
export type { LabelledAndUnlabelled, Moments, PpiEstimate, PpiMoments } from "./ppi.ts";
export { betaPosterior, clopperPearson, cohenH, jeffreys, newcombe, wilson } from "./rates.ts";
export { signFlip } from "./sign-flip.ts";
export type { SignFlipResult } from "./sign-flip.ts";
export { varianceComponents } from "./variance-components.ts";
export type { VarianceComponents } from "./variance-components.ts";
export { verdict } from "./verdict.ts";
export type { Verdict } from "./verdict.ts";
export { wilcoxonSignedRank } from "./wilcoxon.ts";
export type { WilcoxonMethod, WilcoxonResult } from "./wilcoxon.ts";
