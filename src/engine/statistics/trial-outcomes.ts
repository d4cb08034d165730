import { compileScoredErrors, compileUnscored } from "../../compile/statistics/outcomes.ts";
import { narrowing } from "../../compile/rows/selected-rows.ts";
import type { RowOf } from "../../store/query.ts";
import type { Session } from "../../store/session.ts";
import type { Plan, SummaryPlan } from "../../plan/plan.ts";
import { seriesKey, type OutcomeCounts, type ScoreSums } from "../../plan/results.ts";

/** Counts the trials in error and the null scores. */
export async function readOutcomes(
  session: Session,
  plan: Plan,
  summary: SummaryPlan,
  counted: Pick<ScoreSums, "sums" | "trialCounts">,
): Promise<OutcomeCounts> {
  const narrowed = narrowing(plan, summary.intersection);
  const counts = await session.all(compileUnscored(plan, narrowed));
  const nulls = counts.filter(({ pathKey }) => pathKey !== null);
  const unscored = {
    errored: countsOf(counts.filter(({ pathKey }) => pathKey === null)),
    nulls: countsOf(nulls),
    erroredNulls: countsOf(nulls.map((one) => ({ ...one, count: one.errored }))),
  };
  const { known, unknown } = deriveScoredErrors(summary, counted, unscored);
  const looked = unknown.length === 0 ? [] : await session.all(compileScoredErrors(plan, narrowed, unknown));
  return { ...unscored, scoredErrors: new Map([...countsOf(looked), ...known]) };
}

/**
 * Derives how many trials in error have a score all the same, where counts suffice. They do in two cases: if all trials
 * in error have null, the number is 0; if each trial of the evaluation has a score or null, it is the number of trials
 * in error without null.
 */
function deriveScoredErrors(
  { scorePaths }: SummaryPlan,
  { sums, trialCounts }: Pick<ScoreSums, "sums" | "trialCounts">,
  { errored, nulls, erroredNulls }: Omit<OutcomeCounts, "scoredErrors">,
): { readonly known: ReadonlyMap<string, number>; readonly unknown: readonly number[] } {
  const paths = new Map(scorePaths.map((path) => [path.key, path]));
  const scored = new Map<string, { evaluationKey: number; pathKey: number; count: number }>();
  for (const { evaluationKey, pathKey, count, counted = 0 } of sums) {
    const place = seriesKey({ evaluationKey, pathKey });
    scored.set(place, { evaluationKey, pathKey, count: count - counted + (scored.get(place)?.count ?? 0) });
  }
  const known = new Map<string, number>();
  const unknown = new Set<number>();
  for (const [place, { evaluationKey, pathKey, count }] of scored) {
    const keys = [pathKey, ...(paths.get(pathKey)?.ancestors ?? [])];
    const total = (counts: ReadonlyMap<string, number>) =>
      keys.reduce((sum, key) => sum + (counts.get(seriesKey({ evaluationKey, pathKey: key })) ?? 0), 0);
    const wrong = errored.get(seriesKey({ evaluationKey, pathKey: 0 })) ?? 0;
    const rest = wrong - total(erroredNulls);
    if (rest === 0 || count + total(nulls) === trialCounts.get(evaluationKey)) known.set(place, rest);
    else unknown.add(pathKey);
  }
  return { known, unknown: [...unknown].toSorted((a, b) => a - b) };
}

/** A count without a dimension belongs to the evaluation and gets path key 0. */
function countsOf(
  counts: readonly Pick<RowOf<typeof compileUnscored>, "evaluationKey" | "pathKey" | "count">[],
): Map<string, number> {
  return new Map(counts.map((one) => [seriesKey({ ...one, pathKey: one.pathKey ?? 0 }), one.count]));
}
