import { bitRange } from "../../model/numbers.ts";
import { bootstrap, type BootstrapMethod } from "../../stats/estimates/bootstrap.ts";
import type { Interval } from "../../stats/estimates/mean.ts";
import { scaleByPower } from "./exact-moments.ts";
import type { RowSample } from "./row-samples.ts";

/** How a bootstrap was done, so that it can be done again. */
export interface BootstrapDescription<Method extends BootstrapMethod = BootstrapMethod> {
  /** How intervals follow from the resamples. */
  readonly method: Method;
  /** What is resampled. */
  readonly unit: "row";
  /** How many resamples. */
  readonly resamples: number;
  /** Seed of the random numbers; it follows from the request. */
  readonly seed: number;
}

export interface RowBootstrap {
  readonly bootstrap_confidence_interval: Interval;
  readonly bootstrap: BootstrapDescription<"bca">;
}

/**
 * The 95 % interval of the mean over few rows, BCa. t leans on their values being near normal; this resamples them as
 * they are. null for rates with one trial a row, which have Wilson's, and where there is nothing to resample.
 */
export function bootstrapRows(
  { values, zeroOne, single, min, max }: RowSample,
  seed: number,
): RowBootstrap | null {
  if (values === null || values.length < 2 || min === max || (zeroOne && single)) return null;
  // In units of the largest, so that no sum is beyond the doubles.
  const size = Math.max(...values.map(Math.abs));
  const exponent = size === 0 ? 0 : bitRange(size).high;
  const found = bootstrap(
    values.map((value) => scaleByPower(value, -exponent)),
    (sample) => sample.reduce((sum, value) => sum + value, 0) / sample.length,
    { method: "bca", seed },
  );
  if (found.confidence_interval === null) return null;
  const [low, high] = found.confidence_interval.map((end) => scaleByPower(end, exponent));
  if (low === undefined || high === undefined) return null;
  return {
    bootstrap_confidence_interval: [low, high],
    bootstrap: { method: "bca", unit: "row", resamples: found.resamples, seed },
  };
}
