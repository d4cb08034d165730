import type { Narrowing } from "../../compile/rows/selected-rows.ts";
import type { Plan } from "../../plan/plan.ts";
import type { QueryCatalog } from "../../plan/query-catalog.ts";
import type { Session } from "../../store/session.ts";
import type { Dimension } from "../../respond/compare/dimensions.ts";
import { NO_EDITED_ROWS } from "./edited-rows.ts";
import { readPairs, type PairsByPlace } from "./read-pairs.ts";
import { readTaskPairs, type TaskPool } from "./task-pool.ts";

/** A statement tells the evaluations of a row by the bits of one integer. */
const CANDIDATES_AT_ONCE = 60;

const NO_ROWS = { both: 0, onlyBaseline: 0, onlyCandidate: 0, edited: NO_EDITED_ROWS };

interface Compared {
  readonly clusterBy: string | null;
  /** Where models are compared; null otherwise. */
  readonly pool: TaskPool | null;
}

/** Reads the pairs of any number of candidates with the baseline, on the rows that the filters of the plan keep. */
export async function readPairsInParts(
  session: Session,
  plan: Plan,
  narrowing: Narrowing,
  catalog: QueryCatalog,
  { clusterBy, pool }: Compared,
  dimensions: readonly Dimension[],
): Promise<PairsByPlace> {
  if (pool !== null)
    return readTaskPairs(pool, plan, (part) =>
      readPairsInParts(session, part, narrowing, catalog, { clusterBy, pool: null }, dimensions),
    );
  const [baseline = 0, ...candidates] = plan.evaluationKeys;
  if (candidates.length <= CANDIDATES_AT_ONCE)
    return readPairs(session, plan, narrowing, catalog, clusterBy, dimensions);
  const parts = new Map<number, PairsByPlace>();
  for (let i = 0; i < candidates.length; i += CANDIDATES_AT_ONCE) {
    const evaluationKeys = [baseline, ...candidates.slice(i, i + CANDIDATES_AT_ONCE)];
    const part = { ...plan, evaluationKeys };
    const own = dimensions.map((one) => within(one, evaluationKeys));
    const pairs = await readPairs(session, part, narrowing, catalog, clusterBy, own);
    for (const key of evaluationKeys) parts.set(key, pairs);
  }
  return {
    sums: (key, path) => parts.get(key)?.sums(key, path) ?? null,
    candidateValues: (key, path) => parts.get(key)?.candidateValues(key, path) ?? 0,
    baselineValues: (key, path) => parts.get(key)?.baselineValues(key, path) ?? 0,
    presence: (key) => parts.get(key)?.presence(key) ?? NO_ROWS,
  };
}

function within(dimension: Dimension, keys: readonly number[]): Dimension {
  const kinds = [...dimension.kinds].filter(([key]) => keys.includes(key));
  return { ...dimension, kinds: new Map(kinds) };
}
