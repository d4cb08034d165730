import type { Plan, SummaryPlan } from "../../plan/plan.ts";
import type { RowStatistics } from "../../plan/results.ts";

/** Row statistics of the summaries answered since the last write: they do not change with the page. */
export interface StatisticsCache {
  epoch: number;
  samples: number;
  readonly entries: Map<string, RowStatistics>;
}

export function createStatisticsCache(): StatisticsCache {
  return { epoch: -1, samples: 0, entries: new Map() };
}

/** Of about 300 bytes each. */
const MOST_SAMPLES = 50_000;

/** What `read` gives, once for each summary and state of the database; `epoch` null: a state unlike any other. */
export async function rememberStatistics(
  cache: StatisticsCache,
  epoch: number | null,
  plan: Plan,
  summary: SummaryPlan,
  read: () => Promise<RowStatistics>,
): Promise<RowStatistics> {
  if (epoch === null) return read();
  if (cache.epoch !== epoch) clear(cache, epoch);
  const key = JSON.stringify({ ...plan, rows: null, summary });
  const known = cache.entries.get(key);
  if (known !== undefined) return known;
  const found = await read();
  if (cache.epoch !== epoch) return found;
  if (cache.samples + found.samples.size > MOST_SAMPLES) clear(cache, epoch);
  cache.entries.set(key, found);
  cache.samples += found.samples.size;
  return found;
}

function clear(cache: StatisticsCache, epoch: number): void {
  cache.epoch = epoch;
  cache.samples = 0;
  cache.entries.clear();
}
