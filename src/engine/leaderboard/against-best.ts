import { narrowing } from "../../compile/rows/selected-rows.ts";
import { BOOLEAN } from "../../model/score-kind.ts";
import type { Plan, ScorePath } from "../../plan/plan.ts";
import type { QueryCatalog } from "../../plan/query-catalog.ts";
import type { ScoreSum } from "../../plan/results.ts";
import type { Adjustment } from "../../request/compare-request.ts";
import { compareAll, type Comparison, type ComparisonInput } from "../../respond/compare/comparison.ts";
import type { Session } from "../../store/session.ts";
import { comparisonInputs } from "../compare/compare.ts";
import { countedWith, kindsAt, type Dimension } from "../compare/dimensions.ts";
import { readPairs } from "../compare/read-pairs.ts";

/** Confidence level of the intervals of a summary, and so of the standings beside them. */
export const CONFIDENCE = 0.95;

/** Evaluations compared in one statement; with the best one they fit the bits of a word. */
const COMPARED_AT_ONCE = 60;

/** What is compared: the headline score, of all evaluations with the best one. */
interface AgainstBest {
  readonly plan: Plan;
  readonly catalog: QueryCatalog;
  readonly path: ScorePath;
  readonly sums: readonly ScoreSum[];
  readonly lowerIsBetter: boolean;
  readonly best: string;
  readonly adjust: Adjustment;
}

interface Compared {
  readonly familySize: number;
  /** By id of the evaluation; none for the best one and for evaluations without trials. */
  readonly comparisons: ReadonlyMap<string, Comparison>;
}

/** Compares every evaluation of the plan with the best one, on the rows that the filters of the plan keep. */
export async function compareWithBest(
  session: Session,
  scope: AgainstBest,
  signal: AbortSignal | undefined,
): Promise<Compared> {
  const { plan, best, adjust } = scope;
  const others = plan.evaluationIds.filter((id) => id !== best);
  const inputs: ComparisonInput[] = [];
  for (let i = 0; i < others.length; i += COMPARED_AT_ONCE) {
    signal?.throwIfAborted();
    inputs.push(...(await readInputs(session, scope, others.slice(i, i + COMPARED_AT_ONCE))));
  }
  const options = { confidence: CONFIDENCE, adjust, margin: null };
  const { familySize, comparisons } = await compareAll(inputs, options, signal);
  return { familySize, comparisons: new Map(comparisons.map((one) => [one.candidate, one])) };
}

async function readInputs(
  session: Session,
  { plan, catalog, path, sums, lowerIsBetter, best }: AgainstBest,
  candidates: readonly string[],
): Promise<ComparisonInput[]> {
  const evaluationIds = [best, ...candidates];
  const evaluationKeys = evaluationIds.flatMap((id) => catalog.evaluations.get(id)?.key ?? []);
  const kinds = kindsAt(
    path.key,
    sums.filter(({ evaluationKey }) => evaluationKeys.includes(evaluationKey)),
  );
  const baselineKind = kinds.get(evaluationKeys[0] ?? 0) ?? BOOLEAN;
  const counted = countedWith(path.key, evaluationKeys[0] ?? 0, sums);
  const dimension: Dimension = { path, kinds, baselineKind, counted };
  const part = { ...plan, evaluationIds, evaluationKeys };
  const pairs = await readPairs(session, part, narrowing(plan, false), catalog, { clusterBy: null }, [
    dimension,
  ]);
  const lower = new Set(lowerIsBetter ? [path.key] : []);
  return comparisonInputs({ candidates, scorers: [] }, catalog, [dimension], lower, pairs);
}
