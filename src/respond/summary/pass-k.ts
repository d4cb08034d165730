import { chooseInterval } from "../../stats/estimates/choose-interval.ts";
import { passAtK, passHatK } from "../../stats/estimates/pass-k.ts";
import { TEXT } from "../../model/score-kind.ts";
import type { ScorePath } from "../../plan/plan.ts";
import { seriesKey, type RowSample, type RowTally, type ScoreSums } from "../../plan/results.ts";
import type { PassK } from "./scorer-stats.ts";

/** Says which dimensions have no pass@k in an evaluation since texts stand there beside values that pass or fail. */
export function passKWarnings(paths: readonly ScorePath[], { sums, rowStatistics }: ScoreSums): string[] {
  if (rowStatistics === null || rowStatistics.passK.length === 0) return [];
  const mixed = sums.filter((one) => one.kind === TEXT && rowStatistics.samples.get(seriesKey(one))?.zeroOne);
  return paths.flatMap(({ key, path }) => {
    const { length } = mixed.filter(({ pathKey }) => pathKey === key);
    const where = length === 1 ? "one evaluation" : `${length} evaluations`;
    const name = JSON.stringify(path.join("."));
    return length === 0
      ? []
      : [
          `${name} has texts beside values that pass or fail in ${where}, so it has no pass@k there: a text is neither`,
        ];
  });
}

export function passKOf(sample: RowSample, passK: readonly number[]): PassK | null {
  const { tallies } = sample;
  if (tallies === null || !sample.zeroOne) return null;
  const byK = <Value>(value: (k: number) => Value): Record<string, Value> =>
    Object.fromEntries(passK.map((k) => [k, value(k)]));
  const at = new Map(passK.map((k) => [k, meanOverRows(tallies, k, passAtK)]));
  const hat = new Map(passK.map((k) => [k, meanOverRows(tallies, k, passHatK)]));
  return {
    pass_at_k: byK((k) => at.get(k)?.mean ?? null),
    pass_hat_k: byK((k) => hat.get(k)?.mean ?? null),
    pass_k_row_count: byK((k) => at.get(k)?.n ?? 0),
    pass_at_k_confidence_interval: byK((k) => at.get(k)?.interval ?? null),
    pass_hat_k_confidence_interval: byK((k) => hat.get(k)?.interval ?? null),
  };
}

function meanOverRows(
  tallies: readonly RowTally[],
  k: number,
  estimator: (n: number, c: number, k: number) => number | null,
) {
  const estimates = tallies.flatMap(({ trials, total, rows }) => {
    const estimate = estimator(trials, total, k);
    return estimate === null ? [] : [{ estimate, trials, rows }];
  });
  const n = estimates.reduce((sum, { rows }) => sum + rows, 0);
  if (n === 0) return { n, mean: null, interval: null };
  const mean = estimates.reduce((sum, { estimate, rows }) => sum + rows * estimate, 0) / n;
  const squares = estimates.reduce((sum, { estimate, rows }) => sum + rows * (estimate - mean) ** 2, 0);
  const equal = estimates.every(({ estimate }) => estimate === estimates[0]?.estimate);
  const standardError = n < 2 ? null : equal ? 0 : Math.sqrt(squares / (n - 1) / n);
  const single = estimates.every(({ trials }) => trials === 1);
  const chosen = chooseInterval({ n, mean, standardError, zeroOne: true, single });
  return { n, mean, interval: chosen.confidence_interval };
}
