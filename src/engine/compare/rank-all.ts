import type { ScorePath } from "../../plan/plan.ts";
import type { PairAdjustment } from "../../request/compare-request.ts";
import type { ComparisonInput } from "../../respond/compare/comparison.ts";
import type { Adjusting } from "../../respond/compare/compare-all.ts";
import { adjustBoards, ranksOf, type AdjustedBoard, type Rank } from "../../respond/compare/ranks.ts";
import type { Session } from "../../store/session.ts";
import { readBoards, type BoardScope, type OrderedDimension } from "./boards.ts";

/** All evaluations of some dimensions, ranked by comparisons of all pairs. */
export interface Ranking {
  /** Pairs that were compared. */
  readonly pairs: number;
  /** Adjusts comparisons with the baseline of the scope. */
  readonly adjusting: (inputs: readonly ComparisonInput[]) => Adjusting;
  /** The rank of an evaluation, by its key; null where it has no value in the dimension. */
  readonly rank: (pathKey: number, evaluationKey: number) => Rank | null;
}

interface RankScope extends BoardScope {
  readonly adjust: PairAdjustment;
  readonly confidence: number;
}

/** Ranks the evaluations of each dimension by all pairs of them. */
export async function rankAll(
  session: Session,
  scope: RankScope,
  dimensions: readonly OrderedDimension[],
  signal: AbortSignal | undefined,
): Promise<Ranking> {
  const alpha = 1 - scope.confidence;
  const boards = await readBoards(session, scope, dimensions, signal);
  const adjusted = adjustBoards(boards, scope.adjust, alpha);
  const ranked = dimensions.flatMap(({ path, order }, i): Ranked[] => {
    const [board, own] = [boards[i], adjusted[i]];
    if (board === undefined || own === undefined) return [];
    return [{ path, order, own, ranks: ranksOf(board, own.adjusted, alpha) }];
  });
  return {
    pairs: adjusted[0]?.family.size ?? 0,
    adjusting: (inputs) => adjustingOf(ranked, scope, inputs),
    rank: (pathKey, evaluationKey) => {
      const found = ranked.find(({ path }) => path.key === pathKey);
      return found?.ranks[found.order.indexOf(evaluationKey)] ?? null;
    },
  };
}

interface Ranked {
  readonly path: ScorePath;
  readonly order: readonly number[];
  readonly own: AdjustedBoard;
  readonly ranks: readonly Rank[];
}

function adjustingOf(
  ranked: readonly Ranked[],
  { baseline, catalog, adjust, confidence }: RankScope,
  inputs: readonly ComparisonInput[],
): Adjusting {
  const families = ranked.map(({ own }) => own.family);
  const size = families[0]?.size ?? 0;
  // Any evaluation could have been the best one.
  const times = adjust === "none" ? 1 : Math.max(1, size);
  const adjustedP = ({ candidate, path }: ComparisonInput): number | null => {
    const name = JSON.stringify(path);
    const found = ranked.find((one) => JSON.stringify(one.path.path) === name);
    const places = [baseline, catalog.evaluations.get(candidate)?.key ?? 0].map(
      (key) => found?.order.indexOf(key) ?? -1,
    );
    const [i = -1, j = -1] = places.toSorted((a, b) => a - b);
    return i < 0 ? null : (found?.own.adjusted(i, j) ?? null);
  };
  return {
    differences: (p) => ({
      // The p value of one pair is the same on either side but for its last digit.
      adjusted: inputs.map((input, i) => (p[i] == null || size === 1 ? (p[i] ?? null) : adjustedP(input))),
      size,
      each: (1 - confidence) / times,
      level: Math.min(...families.map(({ level }) => level), 1),
      detection: Math.min(...families.map(({ detection }) => detection), 1),
    }),
    claims: (p) => p.map((value) => (value === null ? null : Math.min(1, times * value))),
  };
}
