import type { RowSample } from "../../plan/results.ts";
import { exactAverage } from "./exact-moments.ts";
import type { SliceValue, SummarySlice, SummarySlicing } from "./slicing.ts";
import { intervalOf } from "./statistics.ts";

/** The slices of a summary; map keys come from `seriesKey`. */
export interface SummarySlices {
  readonly slicing: SummarySlicing;
  readonly slices: ReadonlyMap<string, readonly SummarySlice[]>;
  /** Those of a series without a value. */
  readonly none: readonly SummarySlice[];
}

/** What SQL counts in one slice of a series. */
export interface SliceCounts {
  readonly trials: number;
  readonly known: number;
  readonly passed: number;
  /** null where no row has a number, true or false. */
  readonly sample: Pick<RowSample, "moments" | "zeroOne" | "single" | "clusters"> | null;
}

/** One slice of a score dimension in one evaluation. */
export function summarySlice(
  value: readonly SliceValue[],
  { trials, known, passed, sample }: SliceCounts,
  { descriptive, withInterval }: { readonly descriptive: boolean; readonly withInterval: boolean },
): SummarySlice {
  const mean = sample === null ? null : exactAverage(sample.moments);
  if (descriptive) return { value, trial_count: trials, mean, descriptive };
  return {
    value,
    trial_count: trials,
    scored_row_count: sample?.moments.n ?? 0,
    row_mean: mean,
    pass_rate: known === 0 ? null : passed / known,
    ...(withInterval
      ? {
          confidence_interval:
            sample === null || mean === null ? null : intervalOf(sample, mean).chosen.confidence_interval,
        }
      : {}),
  };
}
