import type { Narrowing } from "../../compile/rows/selected-rows.ts";
import type { Plan } from "../../plan/plan.ts";
import type { QueryCatalog } from "../../plan/query-catalog.ts";
import type { Session } from "../../store/session.ts";
import type { Dimension } from "./dimensions.ts";
import { readPairs, type PairsByPlace } from "./read-pairs.ts";

/** A statement tells the evaluations of a row by the bits of one integer. */
const CANDIDATES_AT_ONCE = 60;

interface Compared {
  readonly baseline: string;
  readonly candidates: readonly string[];
  readonly clusterBy: string | null;
}

/** Reads the pairs of any number of candidates with the baseline, on the rows that the filters of the plan keep. */
export async function readPairsInParts(
  session: Session,
  plan: Plan,
  narrowing: Narrowing,
  catalog: QueryCatalog,
  { baseline, candidates, clusterBy }: Compared,
  dimensions: readonly Dimension[],
): Promise<PairsByPlace> {
  if (candidates.length <= CANDIDATES_AT_ONCE)
    return readPairs(session, plan, narrowing, catalog, clusterBy, dimensions);
  const keyOf = (id: string) => catalog.evaluations.get(id)?.key ?? 0;
  const parts = new Map<number, PairsByPlace>();
  for (let i = 0; i < candidates.length; i += CANDIDATES_AT_ONCE) {
    const evaluationIds = [baseline, ...candidates.slice(i, i + CANDIDATES_AT_ONCE)];
    const evaluationKeys = evaluationIds.map(keyOf);
    const part = { ...plan, evaluationIds, evaluationKeys };
    const own = dimensions.map((one) => within(one, evaluationKeys));
    const pairs = await readPairs(session, part, narrowing, catalog, clusterBy, own);
    for (const key of evaluationKeys) parts.set(key, pairs);
  }
  return {
    sums: (key, path) => parts.get(key)?.sums(key, path) ?? null,
    candidateValues: (key, path) => parts.get(key)?.candidateValues(key, path) ?? 0,
    baselineValues: (key, path) => parts.get(key)?.baselineValues(key, path) ?? 0,
    presence: (key) => parts.get(key)?.presence(key) ?? { both: 0, onlyBaseline: 0, onlyCandidate: 0 },
  };
}

function within(dimension: Dimension, keys: readonly number[]): Dimension {
  const kinds = [...dimension.kinds].filter(([key]) => keys.includes(key));
  return { ...dimension, kinds: new Map(kinds) };
}
