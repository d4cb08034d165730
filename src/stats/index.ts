export { chooseInterval } from "./estimates/choose-interval.ts";
export type { ChosenInterval, IntervalMethod, RowSummary } from "./estimates/choose-interval.ts";
export { clusterDegreesOfFreedom, clusteredInterval, clusteredStandardError } from "./estimates/clusters.ts";
export type { ClusterCorrection, ClusterId } from "./estimates/clusters.ts";
export { kendallTauB, kendallTauBOfCounts, pearson, spearman } from "./agreement/correlation.ts";
export type { PairCount } from "./agreement/correlation.ts";
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
} from "./numeric/distributions.ts";
export { judgeAccuracy, judgeAccuracyOfCounts } from "./agreement/judge-accuracy.ts";
export type { JudgeAccuracy } from "./agreement/judge-accuracy.ts";
export { cohenKappa, fleissKappa, kappaStandardError } from "./agreement/kappa.ts";
export type { KappaWeights } from "./agreement/kappa.ts";
export { krippendorffAlpha, krippendorffAlphaOfTable } from "./agreement/krippendorff.ts";
export { mcnemar } from "./tests/mcnemar.ts";
export type { McnemarMethod, TestResult } from "./tests/mcnemar.ts";
export { mean, standardError, studentInterval, tInterval } from "./estimates/mean.ts";
export type { Interval } from "./estimates/mean.ts";
export { benjaminiHochberg, benjaminiYekutieli, bonferroni, holm } from "./tests/multiplicity.ts";
export { pairedRatesInterval } from "./tests/paired-rates.ts";
export { equivalenceTest, pairedDifference, studentTest, tost } from "./tests/paired.ts";
export type { EquivalenceTest, PairedDifference, StudentTest } from "./tests/paired.ts";
export { passAtK, passHatK } from "./estimates/pass-k.ts";
export { percentile } from "./estimates/percentile.ts";
export { pooledStandardError } from "./estimates/pooled.ts";
export { detectableDifference, minimumDetectableEffect, rowsToDetect, sampleSize } from "./tests/power.ts";
export type { ComparedSample } from "./tests/power.ts";
export { ppi, ppiOfMoments, roganGladen } from "./agreement/ppi.ts";
export { ppiInterval, ppiRateInterval } from "./agreement/ppi-interval.ts";
export type { LabelledAndUnlabelled, Moments, PpiEstimate, PpiMoments } from "./agreement/ppi.ts";
export { betaPosterior, clopperPearson, cohenH, jeffreys, newcombe, wilson } from "./estimates/rates.ts";
export { signFlip } from "./tests/sign-flip.ts";
export type { SignFlipResult } from "./tests/sign-flip.ts";
export { varianceComponents } from "./estimates/variance-components.ts";
export type { VarianceComponents } from "./estimates/variance-components.ts";
export { verdict } from "./tests/verdict.ts";
export type { Verdict } from "./tests/verdict.ts";
export { wilcoxonSignedRank } from "./tests/wilcoxon.ts";
export type { WilcoxonMethod, WilcoxonResult } from "./tests/wilcoxon.ts";
