export { clusteredStandardError, type ClusterId } from "./estimates/clusters.ts";
export {
  betaQuantile,
  binomialCdf,
  chiSquareSurvival,
  normalCdf,
  normalQuantile,
  studentTCdf,
  studentTQuantile,
} from "./numeric/distributions.ts";
export { cohenKappa, fleissKappa, type KappaWeights } from "./agreement/kappa.ts";
export { krippendorffAlpha } from "./agreement/krippendorff.ts";
export { mean, standardError, studentInterval, tInterval, type Interval } from "./estimates/mean.ts";
export { benjaminiHochberg, bonferroni, holm } from "./tests/multiplicity.ts";
export { mcnemar, pairedRatesInterval, type McnemarMethod, type TestResult } from "./tests/paired-rates.ts";
export { pairedDifference, tost, type EquivalenceTest, type PairedDifference } from "./tests/paired.ts";
export { passAtK, passHatK } from "./estimates/pass-k.ts";
export { minimumDetectableEffect, sampleSize } from "./tests/power.ts";
export { ppi, roganGladen, type LabelledAndUnlabelled, type PpiEstimate } from "./agreement/ppi.ts";
export { betaPosterior, clopperPearson, jeffreys, newcombe, wilson } from "./estimates/rates.ts";
export { signFlip, type SignFlipResult } from "./tests/sign-flip.ts";
export { varianceComponents, type VarianceComponents } from "./estimates/variance-components.ts";
export { wilcoxonSignedRank, type WilcoxonMethod, type WilcoxonResult } from "./tests/wilcoxon.ts";
