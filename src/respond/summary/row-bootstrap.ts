import { bitRange } from "../../model/numbers.ts";
import { bootstrap, type BootstrapMethod } from "../../stats/estimates/bootstrap.ts";
import { scaleByPower } from "./exact-moments.ts";
import type { RowBootstrap, RowSample } from "../../plan/results.ts";

/** The parameters of a bootstrap, which make it reproducible. */
export interface BootstrapDescription<Method extends BootstrapMethod = BootstrapMethod> {
  /** How intervals are computed from the resamples. */
  readonly method: Method;
  /** The unit of resampling. */
  readonly unit: "row";
  /** Number of resamples. */
  readonly resamples: number;
  /** Seed of the random numbers, derived from the request. */
  readonly seed: number;
}

/**
 * The 95 % BCa bootstrap interval of the mean over few rows. Student's t assumes values close to normal; the
 * bootstrap resamples the values themselves. null for rates with one trial per row, which have Wilson's interval, and
 * where there is nothing to resample.
 */
export function bootstrapRows(
  { values, zeroOne, single, min, max }: RowSample,
  seed: number,
): RowBootstrap | null {
  if (values === null || values.length < 2 || min === max || (zeroOne && single)) return null;
  // Scaled by the magnitude of the largest value, so that no sum exceeds the range of doubles.
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
