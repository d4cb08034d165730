import { narrowing } from "../../compile/rows/selected-rows.ts";
import type { Direction } from "../../model/direction.ts";
import type { Plan, ScorePath } from "../../plan/plan.ts";
import type { QueryCatalog } from "../../plan/query-catalog.ts";
import type { ScoreSum } from "../../plan/results.ts";
import type { PairAdjustment } from "../../request/compare-request.ts";
import { compareAll } from "../../respond/compare/compare-all.ts";
import type { Rank } from "../../respond/compare/ranks.ts";
import type { Session } from "../../store/session.ts";
import { comparisonInputs } from "../compare/read-group.ts";
import { dimensionAt } from "../../respond/compare/dimensions.ts";
import type { TaskPool } from "../compare/task-pool.ts";
import { rankAll } from "../compare/rank-all.ts";
import { readPairsInParts } from "../compare/read-pairs-in-parts.ts";

/** Confidence level of the intervals of a summary, and so of the standings beside them. */
export const CONFIDENCE = 0.95;

/** The headline score of some evaluations. */
interface Headline {
  readonly plan: Plan;
  readonly catalog: QueryCatalog;
  readonly path: ScorePath;
  readonly sums: readonly ScoreSum[];
  readonly direction: Direction;
  /** Where models are ranked; null otherwise. */
  readonly pool: TaskPool | null;
  readonly clusterBy: string | null;
}

/**
 * Reads what evaluations are compared from, the first as the baseline, on the rows that the filters of the plan keep.
 */
async function readHeadline(
  session: Session,
  { plan: whole, catalog, path, sums, direction, clusterBy, pool }: Headline,
  evaluationIds: readonly string[],
) {
  const [first = "", ...candidates] = evaluationIds;
  const evaluationKeys = evaluationIds.flatMap((id) => catalog.evaluations.get(id)?.key ?? []);
  const [baseline = 0] = evaluationKeys;
  const dimension = { ...dimensionAt(path, baseline, sums), order: evaluationKeys, direction };
  const plan = { ...whole, evaluationIds, evaluationKeys };
  const narrowed = narrowing(whole, false);
  const compared = { clusterBy, pool };
  const pairs = await readPairsInParts(session, plan, narrowed, catalog, compared, [dimension]);
  return {
    dimension,
    scope: { plan, narrowing: narrowed, catalog, ...compared, baseline, withBaseline: pairs.sums },
    inputs: comparisonInputs({ baseline: first, candidates }, catalog, [dimension], () => direction, pairs),
  };
}

/**
 * Ranks evaluations with a value in the headline score, the best first; ranks and comparisons with the best one are by
 * id.
 */
export async function rankHeadline(
  session: Session,
  headline: Headline,
  evaluationIds: readonly string[],
  adjust: PairAdjustment,
  signal: AbortSignal | undefined,
) {
  const { dimension, scope, inputs } = await readHeadline(session, headline, evaluationIds);
  const ranking = await rankAll(session, { ...scope, adjust, confidence: CONFIDENCE }, [dimension], signal);
  const options = {
    confidence: CONFIDENCE,
    margin: null,
    adjusting: ranking.adjusting(inputs),
    alone: "holm",
  } as const;
  const { comparisons } = await compareAll(inputs, options, signal);
  const ranks = evaluationIds.flatMap((id, i): [string, Rank][] => {
    const rank = ranking.rank(dimension.path.key, dimension.order[i] ?? 0);
    return rank === null ? [] : [[id, rank]];
  });
  return {
    familySize: ranking.pairs,
    ranks: new Map(ranks),
    comparisons: new Map(comparisons.map((one) => [one.candidate, one])),
  };
}
