import { narrowing } from "../../compile/rows/selected-rows.ts";
import {
  compileScoredErrors,
  compileTrialCounts,
  compileUnscored,
} from "../../compile/statistics/outcomes.ts";
import { compileUnitSums } from "../../compile/statistics/row-values.ts";
import { COUNTINGS, LACKING } from "../../model/counting.ts";
import { BOOLEAN, NUMBER } from "../../model/score-kind.ts";
import type { Plan, ScorePath, SummaryPlan } from "../../plan/plan.ts";
import { countedAs } from "../../plan/counting.ts";
import { seriesKey } from "../../model/series-key.ts";
import type { OutcomeCounts, RowStatistics, ScoreSum, ScoreSums } from "../../plan/results.ts";
import { errorNotes, type ErrorNotes, type Rate } from "../../respond/summary/error-notes.ts";
import { compareDimensions } from "../../model/text-order.ts";
import { outcomesOf } from "../../respond/summary/summary.ts";
import type { Session } from "../../store/session.ts";
import type { RowOf } from "../../store/query.ts";
import { isUnit } from "./value-reader.ts";

interface Counted extends Pick<ScoreSums, "sums" | "trialCounts"> {
  /** null where nothing is to be said of trials that count nowhere. */
  readonly rowStatistics: Pick<RowStatistics, "outcomes"> | null;
}

/**
 * Says, of these dimensions, what trials without a value count as and, of many that count nowhere, what rates would be
 * with them.
 */
export async function readErrorNotes(
  session: Session,
  plan: Plan | null,
  paths: readonly ScorePath[],
  counted: Counted,
): Promise<ErrorNotes> {
  if (plan?.summary == null) return errorNotes([]);
  const series = unscoredSeries(plan, paths, counted);
  const rates = new Map<string, Rate>();
  const numbers: ScoreSum[] = [];
  for (const { sum, path, many } of series) {
    if (!many) continue;
    if (sum.kind === BOOLEAN) rates.set(seriesKey(sum), { right: sum.total, known: sum.count });
    else if (isUnit(path)) numbers.push(sum);
  }
  const narrowed = narrowing(plan, plan.summary.intersection);
  const scope = { places: numbers, wholeKinds: false, trialsPerRow: 1, narrowing: narrowed };
  for (const one of numbers.length === 0 ? [] : await session.all(compileUnitSums(plan, scope)))
    if (one.total === one.squares) rates.set(seriesKey(one), { right: one.total, known: one.count });
  return errorNotes(
    series.map(({ sum, path, ...one }) => ({
      ...one,
      path: path.path,
      rate: rates.get(seriesKey(sum)) ?? null,
    })),
  );
}

/** The same of sums alone: reads the outcomes of the trials, too. */
export async function readErrorNotesOf(
  session: Session,
  plan: Plan,
  summary: SummaryPlan,
  paths: readonly ScorePath[],
  sums: readonly ScoreSum[],
): Promise<ErrorNotes> {
  const counts = await session.all(compileTrialCounts(plan, narrowing(plan, summary.intersection)));
  const trialCounts = new Map(counts.map(({ evaluationKey, count }) => [evaluationKey, count]));
  const outcomes = await readOutcomes(session, plan, summary, sums);
  return readErrorNotes(session, plan, paths, { sums, trialCounts, rowStatistics: { outcomes } });
}

/** From this share of uncounted trials on, both ends of a rate are given. */
const MANY = 0.05;

function unscoredSeries(
  plan: Plan,
  paths: readonly ScorePath[],
  { sums, trialCounts, rowStatistics }: Counted,
) {
  const outcomes = rowStatistics?.outcomes;
  const numeric = sums.filter(({ kind }) => kind === BOOLEAN || kind === NUMBER);
  // Numbers are read last, so that they take the place of booleans.
  const measured = new Map(numeric.toSorted((a, b) => b.kind - a.kind).map((sum) => [seriesKey(sum), sum]));
  const most = new Map(plan.summary?.rowStatistics?.trialsPerRow.map((one) => [one.evaluationKey, one.most]));
  const ordered = paths.toSorted((a, b) => compareDimensions(a.path, b.path));
  return plan.evaluationKeys.flatMap((evaluationKey, i) => {
    const trials = trialCounts.get(evaluationKey) ?? 0;
    return ordered.flatMap((path) => {
      const place = seriesKey({ evaluationKey, pathKey: path.key });
      const sum = measured.get(place);
      if (sum === undefined) return [];
      const found = outcomes == null ? null : outcomesOf(outcomes, evaluationKey, path, 0, 0);
      const lacking = LACKING.map((of) => {
        const { told, outcome } = COUNTINGS[of];
        const counting = plan.countings.find((one) => one.of === of);
        const countAs = counting === undefined ? null : countedAs(counting, path.key);
        const count = countAs === null ? (found?.[outcome] ?? 0) : (sum.counted?.[told] ?? 0);
        return { of, countAs, count };
      });
      const left = lacking.reduce((all, { count, countAs }) => all + (countAs === null ? count : 0), 0);
      const many = left > MANY * trials;
      const repeated = (most.get(evaluationKey) ?? 1) > 1;
      return [{ evaluationId: plan.evaluationIds[i] ?? "", path, sum, trials, lacking, many, repeated }];
    });
  });
}

/** Counts the trials in error and the null scores. */
export async function readOutcomes(
  session: Session,
  plan: Plan,
  summary: SummaryPlan,
  sums: readonly ScoreSum[],
): Promise<OutcomeCounts> {
  const narrowed = narrowing(plan, summary.intersection);
  const counts = await session.all(compileUnscored(plan, narrowed));
  const nulls = counts.filter(({ pathKey }) => pathKey !== null);
  const errored = counts.filter(({ pathKey }) => pathKey === null);
  const keys = [...new Set(sums.map(({ pathKey }) => pathKey))].toSorted((a, b) => a - b);
  const searched = errored.length > 0 && keys.length > 0;
  const scored = searched ? await session.all(compileScoredErrors(plan, narrowed, keys)) : [];
  return {
    errored: countsOf(errored),
    nulls: countsOf(nulls),
    erroredNulls: countsOf(nulls.map((one) => ({ ...one, count: one.errored }))),
    scoredErrors: countsOf(scored),
  };
}

/** A count without a dimension belongs to the evaluation and gets path key 0. */
function countsOf(
  counts: readonly Pick<RowOf<typeof compileUnscored>, "evaluationKey" | "pathKey" | "count">[],
): Map<string, number> {
  return new Map(counts.map((one) => [seriesKey({ ...one, pathKey: one.pathKey ?? 0 }), one.count]));
}
