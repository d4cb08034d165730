import { align, type AlignedLine } from "./align.ts";
import { commonStart, type ActedTrial, type FirstDifference } from "./diff.ts";

/** A trial beside others. */
export interface BesideTrial {
  /** Id of the call of the trial. */
  readonly trial_id: string;
  /** Id of its evaluation. */
  readonly evaluation_call_id: string;
  /** Digest of its row. */
  readonly row_digest: string;
  /** Whether it passed; null without a value of the success. */
  readonly passed: boolean | null;
  /** How many calls of tools it has. */
  readonly actions: number;
}

/** What stands on one line: the number of a step of each trial, null where it has none there. */
export interface BesideLine {
  /** The number of a step of each trial, null where it has none there. */
  readonly steps: readonly (number | null)[];
  /** Whether two or three stand there, and all are equal. */
  readonly same: boolean;
}

/** Two or three trials beside each other; of three the common parts are lists, of the second and of the third. */
export interface BesideAnswer {
  /** Which answer this is. */
  readonly view: "diff";
  /** The trials, in the order of the request. */
  readonly trials: readonly BesideTrial[];
  /** Actions that the first and another trial begin with. */
  readonly common_actions: number | readonly number[];
  /** Tools that both begin with, whatever their arguments. */
  readonly common_names: number | readonly number[];
  /** Where both leave each other; null where all actions are equal. */
  readonly first_difference: FirstDifference | null | readonly (FirstDifference | null)[];
  /** Lines in all. */
  readonly line_count: number;
  /** The page of them. */
  readonly lines: readonly BesideLine[];
  /** Remarks for the reader. */
  readonly warnings: readonly string[];
}

interface ShownTrial extends ActedTrial {
  readonly passed: boolean | null;
}

/** Puts the actions of two or three trials beside those of the first. */
export function besideAnswer(
  trials: readonly ShownTrial[],
  { limit, offset }: { readonly limit: number; readonly offset: number },
): BesideAnswer {
  const [first, ...others] = trials;
  if (first === undefined) throw new RangeError("no trial");
  const common = others.map((other) => commonStart(first.actions, other.actions));
  const ids = trials.map(({ actions }) => actions.map(({ action }) => action));
  const [own = [], ...rest] = ids;
  const aligned = rest.map((other) => align(own, other));
  const lines = mergeLines(
    own.length,
    aligned.map((one) => one.lines),
  );
  const shown = lines.slice(offset, offset + limit).map((line): BesideLine => {
    const there = line.flatMap((at, i) => (at === null ? [] : [ids[i]?.[at]]));
    return {
      steps: line.map((at, i) => (at === null ? null : (trials[i]?.actions[at]?.step ?? null))),
      same: there.length > 1 && new Set(there).size === 1,
    };
  });
  return {
    view: "diff",
    trials: trials.map(({ trialId, evaluationCallId, rowDigest, passed, actions }) => ({
      trial_id: trialId,
      evaluation_call_id: evaluationCallId,
      row_digest: rowDigest,
      passed,
      actions: actions.length,
    })),
    common_actions: oneOrAll(common.map((one) => one.common_actions)),
    common_names: oneOrAll(common.map((one) => one.common_names)),
    first_difference: oneOrAll(common.map((one) => one.first_difference)),
    line_count: lines.length,
    lines: shown,
    warnings: aligned.some(({ isUnaligned }) => isUnaligned) ? [UNALIGNED] : [],
  };
}

/** Of two trials there is one. */
function oneOrAll<Value>(values: readonly Value[]): Value | readonly Value[] {
  const [first] = values;
  return values.length === 1 && first !== undefined ? first : values;
}

const UNALIGNED =
  "more than 2,000 actions differ: those of the first trial stand before those of the other, unaligned";

/** Places in the first list and each other; what others have alone stands behind the line that it follows. */
function mergeLines(
  count: number,
  aligned: readonly (readonly AlignedLine[])[],
): readonly (readonly (number | null)[])[] {
  const places = aligned.map((lines) => followers(count, lines));
  const lines: (number | null)[][] = [];
  for (let at = -1; at < count; at++) {
    if (at >= 0) lines.push([at, ...places.map(({ beside }) => beside[at] ?? null)]);
    for (const [i, { behind }] of places.entries())
      for (const other of behind.get(at) ?? [])
        lines.push([null, ...places.map((_, k) => (k === i ? other : null))]);
  }
  return lines;
}

/** What stands beside each place of the first list, and what follows it; −1 is before the first. */
function followers(count: number, lines: readonly AlignedLine[]) {
  const beside: (number | null)[] = Array.from({ length: count }, () => null);
  const behind = new Map<number, number[]>();
  let at = -1;
  for (const [own, other] of lines) {
    if (own !== null) {
      at = own;
      beside[own] = other;
    } else if (other !== null) {
      const known = behind.get(at);
      if (known === undefined) behind.set(at, [other]);
      else known.push(other);
    }
  }
  return { beside, behind };
}
