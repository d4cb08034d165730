import { compareText } from "../../model/text-order.ts";
import { ratioInterval } from "../../stats/estimates/ratio.ts";
import type { EvaluationUsage, PerSuccess, SuccessCost } from "./usage.ts";

/** What the trials of an evaluation took that say so, over its rows. */
interface Spent {
  readonly total: number;
  readonly successes: number;
  readonly trials: number;
  readonly rows: number;
  /** Rows with a success. */
  readonly succeeded: number;
  /** See `RatioOfSums`. */
  readonly apart: number;
}

/** What the trials of each evaluation took, by evaluation key. */
export interface SuccessFigures {
  readonly success: string;
  /** Mean success over rows. */
  readonly means: ReadonlyMap<number, number>;
  readonly spent: ReadonlyMap<number, Readonly<Record<string, Spent>>>;
}

/** An evaluation of a summary, with what its rows used. */
interface UsedBy {
  readonly id: string;
  readonly key: number;
  readonly trialCount: number;
  readonly usage: EvaluationUsage;
}

type Measure = "total_tokens" | "latency_seconds" | "cost";

/** What a success cost in each evaluation, in their order. */
export function perSuccess(
  evaluations: readonly UsedBy[],
  { success, means, spent }: SuccessFigures,
): PerSuccess[] {
  return evaluations.map((own) => {
    const costOf = (measure: Measure): SuccessCost => ({
      ...ratioOf(spent.get(own.key)?.[measure]),
      trial_count: own.trialCount,
      dominated_by: dominatorOf(evaluations, own, (one) => {
        const [mean, used] = [means.get(one.key), one.usage[measure]];
        return mean === undefined || used == null ? null : { id: one.id, mean, used: used.mean };
      }),
    });
    return {
      success,
      total_tokens: costOf("total_tokens"),
      latency_seconds: costOf("latency_seconds"),
      ...(own.usage.cost === undefined ? {} : { cost: costOf("cost") }),
    };
  });
}

function ratioOf(spent: Spent | undefined): Omit<SuccessCost, "trial_count" | "dominated_by"> {
  if (spent === undefined)
    return { value: null, confidence_interval: null, total: null, successes: 0, known_count: 0 };
  const { total, successes, trials, rows, succeeded, apart } = spent;
  const ratio = successes === 0 ? null : total / successes;
  return {
    value: ratio,
    confidence_interval: ratio === null ? null : ratioInterval({ ratio, apart, rows, succeeded }),
    total,
    successes,
    known_count: trials,
  };
}

/** An evaluation with its mean success and its mean use over rows. */
interface Standing {
  readonly id: string;
  readonly mean: number;
  readonly used: number;
}

/** The id of the best of those that are as good for as little, and better in one of both. */
function dominatorOf(
  evaluations: readonly UsedBy[],
  own: UsedBy,
  standingOf: (one: UsedBy) => Standing | null,
): string | null {
  const mine = standingOf(own);
  if (mine === null) return null;
  const better = evaluations.flatMap((one) => {
    const other = standingOf(one);
    if (other === null || other.mean < mine.mean || other.used > mine.used) return [];
    return other.mean > mine.mean || other.used < mine.used ? [other] : [];
  });
  const [best] = better.toSorted((a, b) => b.mean - a.mean || a.used - b.used || compareText(a.id, b.id));
  return best?.id ?? null;
}
