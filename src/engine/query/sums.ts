import { compileSummary } from "../../compile/query.ts";
import { readSum } from "../../compile/sums/summary-scale.ts";
import type { Session } from "../../store/session.ts";
import type { SqlValue } from "../../store/sql.ts";
import type { Plan, ScorePath } from "../../plan/plan.ts";
import type { ScoreSum, ScoreSums } from "../../plan/results.ts";
import type { CatalogCache } from "../catalog/read-catalog.ts";
import { rememberStatistics } from "../statistics/cache.ts";
import { readRowStatistics } from "../statistics/row-statistics.ts";

const NO_SUMS: ScoreSums = { rowCount: 0, trialCounts: new Map(), sums: [], rowStatistics: null };

export async function readSums(
  session: Session,
  cache: CatalogCache,
  plan: Plan | null,
  signal: AbortSignal | undefined,
): Promise<ScoreSums> {
  if (plan === null || plan.summary === null) return NO_SUMS;
  const { summary } = plan;
  const found = await session.rows(compileSummary(plan, summary));
  const counts = found.filter(([, path]) => path === null);
  const sums = found
    .filter(([, path]) => path !== null)
    .flatMap((record) => readScoreSum(summary.scorePaths, record));
  const { rowStatistics } = summary;
  const trialCounts = new Map(
    counts.flatMap(([key, , , count]) => (key === null ? [] : [[Number(key), Number(count)]])),
  );
  return {
    rowCount: Number(counts.find(([key]) => key === null)?.[3] ?? 0),
    trialCounts,
    sums,
    rowStatistics:
      rowStatistics === null
        ? null
        : await rememberStatistics(cache.statistics, session.epoch, plan, summary, () =>
            readRowStatistics(session, plan, summary, rowStatistics, { sums, trialCounts }, signal),
          ),
  };
}

/** One record of `compileSummaryScores`. */
export function readScoreSum(paths: readonly ScorePath[], record: readonly SqlValue[]): ScoreSum[] {
  const [evaluation, pathKey, kind, count, high, low, plain] = record;
  const path = paths.find(({ key }) => key === Number(pathKey));
  if (path === undefined) return [];
  const total = readSum(
    paths,
    path,
    typeof high === "bigint" ? high : null,
    typeof low === "bigint" ? low : null,
    typeof plain === "number" ? plain : null,
  );
  return [
    { evaluationKey: Number(evaluation), pathKey: path.key, kind: Number(kind), count: Number(count), total },
  ];
}
