import type { Interval } from "../../stats/estimates/mean.ts";
import { wilsonAt } from "../../stats/estimates/rates.ts";
import { studentTQuantile } from "../../stats/numeric/distributions.ts";
import { passAtK, passHatK } from "../../stats/estimates/pass-k.ts";
import { fieldText } from "../../model/field-path.ts";
import { countOf } from "../../model/messages.ts";
import { nameText } from "../../model/name-text.ts";
import { TEXT } from "../../model/score-kind.ts";
import { traitsOf } from "../../plan/dimension-traits.ts";
import type { Plan, ScorePath } from "../../plan/plan.ts";
import { seriesKey } from "../../model/series-key.ts";
import type { RowSample, RowTally, ScoreSum, ScoreSums } from "../../plan/results.ts";
import type { PassKAsked } from "../../request/eval-request.ts";
import type { PassK } from "./scorer-stats.ts";

/**
 * Says where pass@k leaves rows out, and which dimensions have none since texts stand there beside values that pass or
 * fail.
 */
export function passKWarnings(
  { evaluationKeys, evaluationIds, summary }: Pick<Plan, "evaluationKeys" | "evaluationIds" | "summary">,
  { sums, rowStatistics }: ScoreSums,
): string[] {
  if (rowStatistics === null || rowStatistics.passK.length === 0) return [];
  const { passK, samples } = rowStatistics;
  const zeroOne = (one: Pick<ScoreSum, "evaluationKey" | "pathKey">) => {
    const sample = samples.get(seriesKey(one));
    return sample?.zeroOne === true ? sample : undefined;
  };
  const ordered = scoresOf(summary).toSorted((a, b) => (fieldText(a.path) < fieldText(b.path) ? -1 : 1));
  return ordered.flatMap(({ key, path }) => {
    const name = nameText(fieldText(path));
    const texts = sums.filter((one) => one.pathKey === key && one.kind === TEXT && zeroOne(one));
    const mixed = new Set(texts.map(({ evaluationKey }) => evaluationKey));
    const left = evaluationKeys.flatMap((evaluationKey, i) => {
      const tallies = mixed.has(evaluationKey)
        ? null
        : (zeroOne({ evaluationKey, pathKey: key })?.tallies ?? null);
      const said = tallies === null || passK === "auto" ? null : leftOut(tallies, passK.at(-1) ?? 0);
      return said === null ? [] : [`${JSON.stringify(evaluationIds[i])}, ${name}: ${said}`];
    });
    return [...left, ...(mixed.size === 0 ? [] : [textsBeside(path, mixed.size)])];
  });
}

/** Says of which dimensions pass@k and pass^k have no interval, since too few rows tell. */
export function passKNotes(
  { evaluationKeys, evaluationIds, summary }: Pick<Plan, "evaluationKeys" | "evaluationIds" | "summary">,
  { rowStatistics }: ScoreSums,
): string[] {
  if (rowStatistics === null || (rowStatistics.passK !== "auto" && rowStatistics.passK.length === 0))
    return [];
  const { passK, samples } = rowStatistics;
  return scoresOf(summary).flatMap(({ key, path }) =>
    evaluationKeys.flatMap((evaluationKey, i) => {
      const sample = samples.get(seriesKey({ evaluationKey, pathKey: key }));
      const found = sample === undefined ? null : passKOf(sample, passK);
      const rows = Math.max(0, ...Object.values(found?.pass_k_row_count ?? {}));
      if (rows === 0 || rows >= LEAST_ROWS) return [];
      const whose = evaluationKeys.length === 1 ? "" : `${JSON.stringify(evaluationIds[i])}: `;
      const name = nameText(fieldText(path));
      return [`${whose}pass^k of ${name} has no interval: ${countOf(rows, "row")}, ${LEAST_ROWS} are needed`];
    }),
  );
}

/** The dimensions of which trials may pass. */
function scoresOf(summary: Plan["summary"]): readonly ScorePath[] {
  return (summary?.scorePaths ?? []).filter((path) => traitsOf(path).isScore);
}

function textsBeside(path: readonly string[], evaluations: number): string {
  const name = JSON.stringify(path.join("."));
  const where = evaluations === 1 ? "one evaluation" : `${evaluations} evaluations`;
  return `${name} has texts beside values that pass or fail in ${where}, so it has no pass@k there: a text is neither`;
}

/** What is said of rows with fewer trials than the largest k; null where there are none. */
function leftOut(tallies: readonly RowTally[], least: number): string | null {
  const [all, kept] = [countRows(tallies), countRows(rowsWith(tallies, least))];
  if (kept === all) return null;
  const most = mostKept(tallies);
  const other = most >= least ? "" : `; k up to ${most} keeps ${countRows(rowsWith(tallies, most))}`;
  return `pass@k is over ${kept} of ${all} rows, those with ${countOf(least, "known trial")} or more${other}`;
}

/** All k are over the same rows: those with at least as many trials as the largest. */
export function passKOf(sample: RowSample, asked: PassKAsked): PassK | null {
  const { tallies } = sample;
  if (tallies === null || !sample.zeroOne) return null;
  const passK = asked === "auto" ? usualK(mostKept(tallies)) : asked;
  const rows = rowsWith(tallies, passK.at(-1) ?? 0);
  const byK = <Value>(value: (k: number) => Value): Record<string, Value> =>
    Object.fromEntries(passK.map((k) => [k, value(k)]));
  const at = new Map(passK.map((k) => [k, meanOverRows(rows, k, passAtK)]));
  const hat = new Map(passK.map((k) => [k, meanOverRows(rows, k, passHatK)]));
  return {
    pass_at_k: byK((k) => at.get(k)?.mean ?? null),
    pass_hat_k: byK((k) => hat.get(k)?.mean ?? null),
    pass_k_row_count: byK((k) => at.get(k)?.n ?? 0),
    pass_at_k_confidence_interval: byK((k) => at.get(k)?.interval ?? null),
    pass_hat_k_confidence_interval: byK((k) => hat.get(k)?.interval ?? null),
  };
}

function rowsWith(tallies: readonly RowTally[], least: number): RowTally[] {
  return tallies.filter(({ trials }) => trials >= least);
}

function countRows(tallies: readonly RowTally[]): number {
  return tallies.reduce((sum, { rows }) => sum + rows, 0);
}

const NINE_OF_TEN = 0.9;

/** The most trials that nine of ten rows have. */
function mostKept(tallies: readonly RowTally[]): number {
  const enough = (k: number) => countRows(rowsWith(tallies, k)) >= NINE_OF_TEN * countRows(tallies);
  return Math.max(1, ...tallies.map(({ trials }) => trials).filter(enough));
}

const FEW = 8;
const MORE = [10, 12, 16, 20, 24, 32, 48, 64, 100];

/** The k that are told of so many trials. */
function usualK(most: number): number[] {
  const all = [...Array.from({ length: FEW }, (_, i) => i + 1), ...MORE].filter((k) => k < most);
  return [...all, most];
}

function meanOverRows(
  tallies: readonly RowTally[],
  k: number,
  estimator: (n: number, c: number, k: number) => number | null,
) {
  const estimates = tallies.flatMap(({ trials, total, rows }) => {
    const estimate = estimator(trials, total, k);
    return estimate === null ? [] : [{ estimate, rows }];
  });
  const n = estimates.reduce((sum, { rows }) => sum + rows, 0);
  if (n === 0) return { n, mean: null, interval: null };
  const mean = estimates.reduce((sum, { estimate, rows }) => sum + rows * estimate, 0) / n;
  return { n, mean, interval: n < LEAST_ROWS ? null : chanceInterval(estimates, n, mean) };
}

/** Of fewer rows an interval holds the chance too seldom. */
const LEAST_ROWS = 20;

/**
 * The 95 % interval of a chance that each row estimates: Wilson's around the mean, with Student's t and the effective
 * number of rows p(1 − p)/SE² of one row more, half of which passed, and at least 0.9 of the rows.
 */
function chanceInterval(
  estimates: readonly { readonly estimate: number; readonly rows: number }[],
  n: number,
  mean: number,
): Interval {
  const p = (mean * n + 0.5) / (n + 1);
  const squares = estimates.reduce((sum, { estimate, rows }) => sum + rows * (estimate - p) ** 2, 0);
  const variance = (squares + 0.5 * p ** 2 + 0.5 * (1 - p) ** 2) / n ** 2;
  const effective = Math.max(0.9 * n, (p * (1 - p)) / variance);
  return wilsonAt(Math.min(1, mean) * effective, effective, studentTQuantile(0.975, n - 1));
}
