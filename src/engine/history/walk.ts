import type { Changes } from "../../respond/compare/changes.ts";
import type { Comparison } from "../../respond/compare/comparison.ts";

/** A run and the one that it is compared with. */
export interface ComparedRun {
  /** In the headline score; null where that is not compared. */
  readonly comparison: Comparison | null;
  /** Rows that both have, and those of the run. */
  readonly shared: number;
  readonly own: number;
  readonly changes: Changes | null;
  /** What the two state in different versions; null where that is neither the dataset nor the scorer. */
  readonly unlike: "dataset" | "scorer" | null;
}

/** What the walk says of a run. */
export interface Step extends Pick<ComparedRun, "changes"> {
  /** Index of the run that it is compared with; null where the series begins with it. */
  readonly reference: number | null;
  readonly comparison: Comparison | null;
  /** Why the series starts anew with it; null where it does not, or where it is the first. */
  readonly anew: string | null;
  /**
   * Index of the first of the runs in a row that are shown worse up to this one, where they show a loss that lasts;
   * else null.
   */
  readonly worseFrom: number | null;
}

/** Compares runs with an earlier one, in their order. */
export type CompareRuns = (
  reference: number,
  runs: readonly number[],
) => Promise<ReadonlyMap<number, ComparedRun>>;

/** A chain is walked so far, and then begins anew. */
export const LONGEST_CHAIN = 1000;
/** Runs that are compared at once; what is behind a new reference was compared for nothing. */
const AT_ONCE = 16;
/** Runs in a row that show a loss, or a gain, that lasts. */
const IN_A_ROW = 2;
/** How much surer than a verdict one of them is. */
const SURER = 5;

/** Walks through runs `from` to `end` (not included), of which the first is the first reference. */
export async function walk(
  from: number,
  end: number,
  alpha: number,
  compare: CompareRuns,
): Promise<Map<number, Step>> {
  const steps = new Map<number, Step>([[from, beginning(null, null)]]);
  let chain = newChain(from);
  let next = from + 1;
  while (next < end) {
    const some = Array.from({ length: Math.min(AT_ONCE, end - next) }, (_, i) => next + i);
    const compared = await compare(chain.reference, some);
    for (const run of some) {
      const one = compared.get(run);
      if (one === undefined) throw new RangeError("a run was not compared");
      next = run + 1;
      const anew = whyAnew(one);
      if (anew !== null) {
        steps.set(run, beginning(anew, one.changes));
        chain = newChain(run);
        break;
      }
      const { comparison, changes } = one;
      chain = follow(chain, comparison);
      const isLoss = chain.worse.length >= IN_A_ROW && Math.min(...chain.worse) <= alpha / SURER;
      const worseFrom = isLoss ? run - chain.worse.length + 1 : null;
      steps.set(run, { reference: chain.reference, comparison, changes, anew: null, worseFrom });
      if (chain.better < IN_A_ROW) continue;
      chain = newChain(run);
      break;
    }
  }
  return steps;
}

function beginning(anew: string | null, changes: Changes | null): Step {
  return { reference: null, comparison: null, changes, anew, worseFrom: null };
}

interface Chain {
  readonly reference: number;
  /** Runs in a row that are shown better. */
  readonly better: number;
  /** p values of the runs in a row that are shown worse. */
  readonly worse: readonly number[];
}

function newChain(reference: number): Chain {
  return { reference, better: 0, worse: [] };
}

function follow({ reference, better, worse }: Chain, comparison: Comparison | null): Chain {
  const verdict = comparison?.verdict;
  return {
    reference,
    better: verdict === "improved" ? better + 1 : 0,
    worse: verdict === "regressed" ? [...worse, comparison?.p_value_adjusted ?? 1] : [],
  };
}

function whyAnew({ shared, own, unlike }: ComparedRun): string | null {
  if (shared < 2 || 2 * shared < own) return "other rows";
  return unlike === null ? null : `another ${unlike}`;
}
