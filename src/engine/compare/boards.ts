import type { Narrowing } from "../../compile/rows/selected-rows.ts";
import type { Direction } from "../../model/direction.ts";
import { mapInSlices } from "../../model/turns.ts";
import type { Plan } from "../../plan/plan.ts";
import type { QueryCatalog } from "../../plan/query-catalog.ts";
import { estimate } from "../../respond/compare/estimate.ts";
import type { PairSums } from "../../respond/compare/pair-sums.ts";
import { MOST_IN_STEPS, type Board, type BoardPair } from "../../respond/compare/ranks.ts";
import type { Session } from "../../store/session.ts";
import type { Dimension } from "../../respond/compare/dimensions.ts";
import { readPairSums } from "./read-pairs.ts";
import { pairEveryTwo } from "./scales.ts";
import { readEveryTwo, type TaskPool } from "./task-pool.ts";

/** A dimension whose evaluations are ranked. */
export interface OrderedDimension extends Dimension {
  /** Keys of the evaluations with a value, the best first. */
  readonly order: readonly number[];
  readonly direction: Direction;
}

/** What the evaluations that are ranked are read from. */
export interface BoardScope {
  readonly plan: Plan;
  readonly narrowing: Narrowing;
  readonly catalog: QueryCatalog;
  readonly clusterBy: string | null;
  /** Where models are ranked; null otherwise. */
  readonly pool: TaskPool | null;
  /** Key of the evaluation that all others were compared with, and how. */
  readonly baseline: number;
  readonly withBaseline: (evaluationKey: number, pathKey: number) => PairSums | null;
}

/** A difference between two evaluations, second minus first. */
interface Tested {
  readonly p: number;
  readonly difference: number;
  readonly n: number;
}

/**
 * Tests all pairs of evaluations of each dimension. Of more than {@link MOST_IN_STEPS} evaluations only those with the
 * baseline are tested.
 */
export async function readBoards(
  session: Session,
  scope: BoardScope,
  dimensions: readonly OrderedDimension[],
  signal: AbortSignal | undefined,
): Promise<Board[]> {
  const { plan: whole, narrowing, catalog, clusterBy, pool } = scope;
  const small = dimensions.filter(({ order }) => order.length > 2 && order.length <= MOST_IN_STEPS);
  const { trialsPerRow } = catalog;
  const read = async (plan: Plan) => {
    const places = await pairEveryTwo(session, { plan, narrowing, trialsPerRow }, small);
    return readPairSums(session, plan, { places, trialsPerRow, narrowing, slices: null }, clusterBy);
  };
  const found = pool === null ? await read(whole) : await readEveryTwo(pool, whole, read);
  signal?.throwIfAborted();
  const tests = new Map<string, Tested>();
  await mapInSlices(
    [...found, ...pairsWithBaseline(scope, dimensions)],
    ({ baselineKey, evaluationKey, pathKey, sums }) => {
      const rated = dimensions.find(({ path }) => path.key === pathKey)?.rates;
      const isRate = [baselineKey, evaluationKey].every((key) => rated?.has(key) === true);
      const { p, difference } = estimate(sums, isRate);
      if (p === null || difference === null || sums === null) return;
      const tested = { p, difference, n: sums.differences.n };
      tests.set(`${baselineKey}:${evaluationKey}:${pathKey}`, tested);
    },
    signal,
  );
  return dimensions.map((one) => boardOf(one, tests));
}

function pairsWithBaseline({ baseline, withBaseline }: BoardScope, dimensions: readonly OrderedDimension[]) {
  return dimensions.flatMap(({ path, order }) =>
    order
      .filter((key) => key !== baseline)
      .map((key) => ({
        baselineKey: baseline,
        evaluationKey: key,
        pathKey: path.key,
        sums: withBaseline(key, path.key),
      })),
  );
}

function boardOf({ path, order, direction }: OrderedDimension, tests: ReadonlyMap<string, Tested>): Board {
  const pair = (i: number, j: number): BoardPair | null => {
    const [first = 0, second = 0] = [order[i], order[j]];
    const forward = tests.get(`${first}:${second}:${path.key}`);
    const found = forward ?? tests.get(`${second}:${first}:${path.key}`);
    if (found === undefined) return null;
    const secondIsHigher = forward === undefined ? found.difference < 0 : found.difference > 0;
    return { p: found.p, n: found.n, inOrder: secondIsHigher === (direction === "lower") };
  };
  return { count: order.length, pair, isDirected: direction !== null };
}
