import type { PairAdjustment } from "../../request/compare-request.ts";
import { adjustPairs, pairLevel, type PairP } from "../../stats/tests/ranges.ts";
import { familyOf, type Family } from "./family.ts";

/** Evaluations in one score, from the best to the worst, with the tests of all pairs. */
export interface Board {
  readonly count: number;
  /** Whether it is known which way is good; else the first one is the highest. */
  readonly isDirected: boolean;
  /** The test of the evaluations at places i < j; null where there is none. */
  readonly pair: (i: number, j: number) => BoardPair | null;
}

export interface BoardPair {
  readonly p: number;
  /** Whether the first of the two is better on the shared rows. */
  readonly inOrder: boolean;
  /** Shared rows. */
  readonly n: number;
}

/** A board with its p values adjusted for all pairs of the answer. */
export interface AdjustedBoard {
  readonly adjusted: PairP;
  readonly family: Omit<Family, "adjusted" | "each">;
}

/** Beyond so many evaluations pairs are not told apart step by step, since there are too many. */
export const MOST_IN_STEPS = 40;

/** Adjusts the p values of all pairs of some boards; `alpha` is 1 − confidence. */
export function adjustBoards(
  boards: readonly Board[],
  adjust: PairAdjustment,
  alpha: number,
): AdjustedBoard[] {
  const pairs = boards.map(pairsOf);
  const size = pairs.flat().length;
  if (adjust === "ranges") return boards.map((board) => inRanges(board, boards.length, size, alpha));
  const { adjusted, level, detection } = familyOf(
    pairs.flatMap((own) => own.map(({ p }) => p)),
    adjust,
    alpha,
  );
  let from = 0;
  return pairs.map((own) => {
    const found = new Map(own.map(({ i, j }, at) => [`${i}:${j}`, adjusted[from + at] ?? null]));
    from += own.length;
    return { adjusted: (i, j) => found.get(`${i}:${j}`) ?? null, family: { size, level, detection } };
  });
}

function pairsOf({ count, pair }: Board) {
  return Array.from({ length: count }, (_, i) => i).flatMap((i) =>
    Array.from({ length: count - i - 1 }, (_, next) => i + 1 + next).flatMap((j) => {
      const found = pair(i, j);
      return found === null ? [] : [{ ...found, i, j }];
    }),
  );
}

/** Several boards share the level, an equal part each. */
function inRanges(board: Board, boards: number, size: number, alpha: number): AdjustedBoard {
  const { count, pair } = board;
  const stepwise = isComplete(board);
  const p: PairP = (i, j) => {
    const found = pair(i, j);
    return found === null ? null : stepwise && !found.inOrder ? 1 : found.p;
  };
  const one = adjustPairs(Math.max(2, count), p, stepwise);
  const level = count < 2 ? alpha : pairLevel(alpha / boards, count);
  return {
    adjusted: (i, j) => {
      const value = one(i, j);
      return value === null ? null : Math.min(1, boards * value);
    },
    family: { size, level, detection: level },
  };
}

/** Whether every two evaluations share half of their rows or more; else their order says little about pairs. */
function isComplete(board: Board): boolean {
  const { count } = board;
  const pairs = pairsOf(board);
  if (count > MOST_IN_STEPS || pairs.length < (count * (count - 1)) / 2) return false;
  const rows = Array<number>(count).fill(0);
  for (const { n, i, j } of pairs) for (const at of [i, j]) rows[at] = Math.max(rows[at] ?? 0, n);
  return pairs.every(({ n, i, j }) => 2 * n >= Math.max(rows[i] ?? 0, rows[j] ?? 0));
}

/** How an entry stands in its board. */
export type Standing = "best" | "not_shown_worse" | "worse" | "moved";

/** Where an evaluation may stand among all, with the confidence of the answer for all of them together. */
export interface Rank {
  /**
   * `best`: the best mean. `worse`: shown worse than another evaluation. `not_shown_worse`: not shown worse than any,
   * which is no proof that it is as good. Where nobody says which way is good, the highest stands for the best, and
   * `moved` is shown lower than another evaluation.
   */
  readonly standing: Standing;
  /** 1 + the evaluations shown better, and the number of evaluations less those shown worse. */
  readonly rank_interval: readonly [first: number, last: number];
  /** From 1; a tier begins where an evaluation is shown worse than the first one of the tier above. */
  readonly tier: number;
}

/** Ranks the evaluations of a board at the level `alpha`. */
export function ranksOf({ count, pair, isDirected }: Board, adjusted: PairP, alpha: number): Rank[] {
  const better = (i: number, j: number) => {
    const [first, second] = i < j ? [i, j] : [j, i];
    const p = adjusted(first, second);
    return p !== null && p <= alpha && (pair(first, second)?.inOrder ?? false) === i < j;
  };
  const places = Array.from({ length: count }, (_, i) => i);
  let [tier, head] = [1, 0];
  return places.map((i): Rank => {
    const above = places.filter((other) => other !== i && better(other, i)).length;
    const below = places.filter((other) => other !== i && better(i, other)).length;
    if (i > 0 && better(head, i)) [tier, head] = [tier + 1, i];
    const standing = i === 0 ? "best" : above > 0 ? (isDirected ? "worse" : "moved") : "not_shown_worse";
    return { standing, rank_interval: [1 + above, count - below], tier };
  });
}
