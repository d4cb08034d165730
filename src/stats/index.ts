export { bootstrap } from "./bootstrap.ts";
export type { BootstrapMethod, BootstrapOptions, BootstrapResult } from "./bootstrap.ts";
export { clusteredInterval, clusteredStandardError } from "./clusters.ts";
export type { ClusterCorrection, ClusterId } from "./clusters.ts";
export { kendallTauB, pearson, spearman } from "./correlation.ts";
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
export { judgeAccuracy } from "./judge-accuracy.ts";
export type { JudgeAccuracy } from "./judge-accuracy.ts";
export { cohenKappa, fleissKappa, kappaStandardError } from "./kappa.ts";
export type { KappaWeights } from "./kappa.ts";
export { krippendorffAlpha } from "./krippendorff.ts";
export { mcnemar } from "./mcnemar.ts";
export type { McnemarMethod, TestResult } from "./mcnemar.ts";
export { mean, standardError, studentInterval, tInterval } from "./mean.ts";
export type { Interval } from "./mean.ts";
export { benjaminiHochberg, benjaminiYekutieli, bonferroni, holm } from "./multiplicity.ts";
export { pairedDifference, tost } from "./paired.ts";
export type { EquivalenceTest, PairedDifference } from "./paired.ts";
export { passAtK, passHatK } from "./pass-k.ts";
export { percentile } from "./percentile.ts";
export { minimumDetectableEffect, sampleSize } from "./power.ts";
export { ppi, roganGladen } from "./ppi.ts";
export type { LabelledAndUnlabelled, PpiEstimate } from "./ppi.ts";
export { betaPosterior, clopperPearson, cohenH, jeffreys, newcombe, wilson } from "./rates.ts";
export { signFlip } from "./sign-flip.ts";
export type { SignFlipResult } from "./sign-flip.ts";
export { varianceComponents } from "./variance-components.ts";
export type { VarianceComponents } from "./variance-components.ts";
export { wilcoxonSignedRank } from "./wilcoxon.ts";
export type { WilcoxonMethod, WilcoxonResult } from "./wilcoxon.ts";
