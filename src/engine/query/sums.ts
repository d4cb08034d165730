import { COUNTINGS } from "../../model/counting.ts";
import { NUMBER } from "../../model/score-kind.ts";
import { compileCountedTrials, compileSummary } from "../../compile/query.ts";
import { compileZeroOnes } from "../../compile/statistics/row-values.ts";
import { narrowing } from "../../compile/rows/selected-rows.ts";
import type { Session } from "../../store/session.ts";
import type { Plan, SummaryPlan } from "../../plan/plan.ts";
import { seriesKey } from "../../model/series-key.ts";
import type { ScoreSum, ScoreSums } from "../../plan/results.ts";
import type { CatalogCache } from "../catalog/read-catalog.ts";
import { remembered } from "../../flow/epoch-cache.ts";
import { readCosts } from "./costs.ts";
import { readRowStatistics } from "../statistics/row-statistics.ts";

/** What a summary is made of, and warnings about it. */
interface SumsOfPlan extends ScoreSums {
  readonly warnings: readonly string[];
}

const NO_SUMS: SumsOfPlan = {
  warnings: [],
  rowCount: 0,
  trialCounts: new Map(),
  tokens: new Map(),
  costs: new Map(),
  sums: [],
  rowStatistics: null,
};

export async function readSums(
  session: Session,
  cache: CatalogCache,
  plan: Plan | null,
): Promise<SumsOfPlan> {
  if (plan === null || plan.summary === null) return NO_SUMS;
  const { summary } = plan;
  let rowCount = 0;
  const [trialCounts, tokens] = [new Map<number, number>(), new Map<number, number>()];
  const stored: ScoreSum[] = [];
  for (const one of await session.all(compileSummary(plan, summary))) {
    if (one.evaluationKey === null) rowCount = one.count;
    else if (one.sum !== null) stored.push(one.sum);
    else {
      trialCounts.set(one.evaluationKey, one.count);
      if (one.tokens !== null) tokens.set(one.evaluationKey, one.tokens);
    }
  }
  const sums = await withCounted(session, plan, summary, stored);
  const { rowStatistics: asked } = summary;
  const rowStatistics =
    asked === null
      ? null
      : await remembered(cache.statistics, session.epoch, statisticsKey(plan, summary), () =>
          readRowStatistics(session, plan, summary, asked, { sums, trialCounts }),
        );
  const isRate = (one: ScoreSum) =>
    one.kind === NUMBER && rowStatistics?.samples.get(seriesKey(one))?.zeroOne === true;
  return {
    rowCount,
    trialCounts,
    tokens,
    ...(await readSummaryCosts(session, plan, summary)),
    sums: sums.map((one) => (isRate(one) ? { ...one, zeroOne: true } : one)),
    rowStatistics,
  };
}

/** Adds trials without a value to the sums where they count as one. */
export async function withCounted(
  session: Session,
  plan: Plan,
  summary: SummaryPlan,
  sums: readonly ScoreSum[],
): Promise<readonly ScoreSum[]> {
  const { countings } = plan;
  if (countings.length === 0) return sums;
  const none = Object.fromEntries(countings.map(({ of }) => [COUNTINGS[of].told, 0]));
  const all = new Map(sums.map((one): [string, ScoreSum] => [nameOf(one), { ...one, counted: none }]));
  for (const counting of countings.filter(({ groups }) => groups.length > 0)) {
    const found = await session.all(compileCountedTrials(plan, summary, counting));
    for (const { number, count, ...place } of found) {
      const before = all.get(nameOf(place)) ?? { count: 0, total: 0, counted: none };
      const total = before.total + count * number;
      const counted = { ...before.counted, [COUNTINGS[counting.of].told]: count };
      all.set(nameOf(place), { ...place, count: before.count + count, total, counted });
    }
  }
  return [...all.values()];
}

/** Tells which numbers are all 0 or 1. */
export async function withRates(
  session: Session,
  plan: Plan,
  { intersection }: SummaryPlan,
  sums: readonly ScoreSum[],
): Promise<readonly ScoreSum[]> {
  // The sum of zeros and ones is a whole number, which that of other numbers rarely is.
  const places = sums.filter(
    ({ kind, count, total }) => kind === NUMBER && Number.isInteger(total) && total >= 0 && total <= count,
  );
  if (places.length === 0) return sums;
  const scope = { places, wholeKinds: false, trialsPerRow: 1, narrowing: narrowing(plan, intersection) };
  const found = new Set((await session.all(compileZeroOnes(plan, scope))).map(seriesKey));
  return sums.map((one) =>
    one.kind === NUMBER && found.has(seriesKey(one)) ? { ...one, zeroOne: true } : one,
  );
}

function nameOf(one: Omit<ScoreSum, "count" | "total">): string {
  return `${seriesKey(one)}:${one.kind}`;
}

async function readSummaryCosts(
  session: Session,
  plan: Plan,
  summary: SummaryPlan,
): Promise<Pick<SumsOfPlan, "costs" | "warnings">> {
  if (plan.prices === null) return { costs: new Map(), warnings: [] };
  const narrowed = narrowing(plan, summary.intersection);
  const { ofEvaluations, warnings } = await readCosts(session, plan, narrowed, plan.prices);
  return { costs: new Map([...ofEvaluations].map(([key, { total }]) => [key, total])), warnings };
}

/**
 * A cache key of everything that the statistics depend on. The members of a plan are in one order; to sort them takes
 * 1.7 times as long.
 */
function statisticsKey(plan: Plan, summary: SummaryPlan): string {
  return JSON.stringify({ ...plan, rows: null, summary });
}
