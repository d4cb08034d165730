import type { ComparisonAnswer } from "../../respond/compare/comparison.ts";
import { epochCache, type EpochCache } from "../../flow/epoch-cache.ts";

/** Comparisons made since the last write, kept for repeated requests. */
export type KeptComparisons = EpochCache<ComparisonAnswer>;

/** Most comparisons of a candidate in a dimension that are kept, about 500 bytes each. */
const CAPACITY = 20_000;

export function createKeptComparisons(): KeptComparisons {
  const kept = epochCache<ComparisonAnswer>(CAPACITY, (_key, { comparisons }) => 1 + comparisons.length);
  return {
    // The answer is the caller's, who may change it.
    find: (key, epoch) => {
      const found = kept.find(key, epoch);
      return found === undefined ? undefined : structuredClone(found);
    },
    keep: (key, epoch, answer) => {
      if (answer.comparisons.length < CAPACITY) kept.keep(key, epoch, structuredClone(answer));
    },
  };
}
