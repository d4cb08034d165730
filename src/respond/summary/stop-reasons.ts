import { z } from "zod";
import type { Described } from "./described.ts";

/** Trials that stopped for one reason. */
export interface StopReason {
  /** To the letter; null of trials that say none. */
  readonly reason: string | null;
  /** Trials that stopped for it. */
  readonly count: number;
  /** Those that passed by the success; null where no dimension says it. */
  readonly passed: number | null;
  /** Those that failed by it. */
  readonly failed: number | null;
  /** Those without a value of the success. */
  readonly no_value: number;
}

/** Why the trials of an evaluation stopped; only with `include_stop_reasons`. */
export interface StopReasons {
  /** The most frequent first, at most 50. */
  readonly stop_reasons: readonly StopReason[];
  /** Trials of other reasons. */
  readonly other_stop_reason_count: number;
}

const stopReason: z.ZodType<StopReason> = z.object({
  reason: z.string().nullable(),
  count: z.int(),
  passed: z.int().nullable().meta({ description: "null where nothing says which trials passed" }),
  failed: z.int().nullable(),
  no_value: z.int(),
} satisfies Described<StopReason>);

/** The members of an evaluation in the reply. */
export const stopReasonsSchema = {
  stop_reasons: z
    .array(stopReason)
    .optional()
    .meta({ description: "with include_stop_reasons: at most 50, the most frequent first" }),
  other_stop_reason_count: z.int().optional().meta({ description: "trials of other reasons" }),
};

/** How many trials of an evaluation stopped for a reason, by whether they passed. */
interface StoppedTrials {
  readonly reason: string | null;
  /** 1 or 0; null without a value. */
  readonly passed: number | null;
  readonly trials: number;
}

const MOST_REASONS = 50;

/** Why the trials of an evaluation stopped, the reason of most first, then by text, none last. */
export function stopReasons(stopped: readonly StoppedTrials[], hasSuccess: boolean): StopReasons {
  const reasons = new Map<string | null, StoppedTrials[]>();
  for (const one of stopped) reasons.set(one.reason, [...(reasons.get(one.reason) ?? []), one]);
  const all = Array.from(reasons, ([reason, own]): StopReason => {
    const count = (isMeant: (one: StoppedTrials) => boolean) =>
      own.filter(isMeant).reduce((sum, { trials }) => sum + trials, 0);
    const told = (value: number) => (hasSuccess ? count(({ passed }) => passed === value) : null);
    return {
      reason,
      count: count(() => true),
      passed: told(1),
      failed: told(0),
      no_value: count(({ passed }) => passed === null),
    };
  }).toSorted((a, b) => b.count - a.count || byReason(a.reason, b.reason));
  const others = all.slice(MOST_REASONS).reduce((sum, { count }) => sum + count, 0);
  return { stop_reasons: all.slice(0, MOST_REASONS), other_stop_reason_count: others };
}

/** By code units, null last. */
function byReason(a: string | null, b: string | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return Number(a > b) - Number(a < b);
}
