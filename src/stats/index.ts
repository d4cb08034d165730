export { clusteredStandardError } from "./estimates/clusters.ts";
export type { ClusterId } from "./estimates/clusters.ts";
export {
  betaQuantile,
  binomialCdf,
  chiSquareSurvival,
  normalCdf,
  normalQuantile,
  studentTCdf,
  studentTQuantile,
} from "./numeric/distributions.ts";
export { cohenKappa, fleissKappa } from "./agreement/kappa.ts";
export type { KappaWeights } from "./agreement/kappa.ts";
export { krippendorffAlpha } from "./agreement/krippendorff.ts";
export { mean, standardError, studentInterval, tInterval } from "./estimates/mean.ts";
export type { Interval } from "./estimates/mean.ts";
export { benjaminiHochberg, bonferroni, holm } from "./tests/multiplicity.ts";
export { mcnemar, pairedRatesInterval } from "./tests/paired-rates.ts";
export type { McnemarMethod, TestResult } from "./tests/paired-rates.ts";
export { pairedDifference, tost } from "./tests/paired.ts";
export type { EquivalenceTest, PairedDifference } from "./tests/paired.ts";
export { passAtK, passHatK } from "./estimates/pass-k.ts";
export { minimumDetectableEffect, sampleSize } from "./tests/power.ts";
export { ppi, roganGladen } from "./agreement/ppi.ts";
export type { LabelledAndUnlabelled, PpiEstimate } from "./agreement/ppi.ts";
export { betaPosterior, clopperPearson, jeffreys, newcombe, wilson } from "./estimates/rates.ts";
export { signFlip } from "./tests/sign-flip.ts";
export type { SignFlipResult } from "./tests/sign-flip.ts";
export { varianceComponents } from "./estimates/variance-components.ts";
export type { VarianceComponents } from "./estimates/variance-components.ts";
export { wilcoxonSignedRank } from "./tests/wilcoxon.ts";
export type { WilcoxonMethod, WilcoxonResult } from "./tests/wilcoxon.ts";
