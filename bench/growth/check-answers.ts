import type { Answer, AnswerRow, ScorerStat } from "../answer.ts";
import { sortedScore, type Question } from "../question.ts";

/** Throws unless `large` is what the question has for an answer where each row and trial is there several times. */
export function checkGrown(question: Question, small: Answer, large: Answer, times: number): void {
  if (question.page !== null) checkPage(question, small, large, times);
  if (question.summary) checkSummary(small, large, times);
}

function checkPage(
  { page, intersection, evaluationIds }: Question,
  small: Answer,
  large: Answer,
  times: number,
) {
  expectEqual("total_rows", large.total_rows, small.total_rows * times);
  expectEqual("rows of the page", large.rows.length, Math.min(page?.limit ?? 0, large.total_rows));
  const trials = large.rows.flatMap((row) => row.evaluations.flatMap((one) => one.trials));
  const ids = trials.map((trial) => trial.predict_and_score_call_id);
  expectEqual("trials with an id of their own", new Set(ids).size, ids.length);
  expectEqual("trials without an output", trials.filter((one) => one.model_output === undefined).length, 0);
  for (const row of large.rows) {
    if (intersection) expectEqual("evaluations of a row", row.evaluations.length, evaluationIds.length);
    if (page?.rawDataRows === true && membersOf(row) === "")
      throw new Error(`${row.row_digest} is not resolved`);
    if (page?.rawDataRows === true)
      expectEqual("members of a resolved row", membersOf(row), membersOf(small.rows[0]));
  }
  const digests = large.rows.map((row) => row.row_digest);
  if (page?.order === "digest") expectEqual("order of digests", digests.join(), digests.toSorted().join());
  // What stands deeper in the small one is not on the same page.
  if (page?.order === "mean score" && page.offset === 0)
    for (const [i, row] of large.rows.entries())
      expectEqual(`score of row ${i}`, meanScore(row), meanScore(small.rows[Math.floor(i / times)]));
}

function membersOf(row: AnswerRow | undefined): string {
  return Object.keys(row?.raw_data_row ?? {}).join();
}

/** All scores of the data are multiples of 1/1024, so that this is exact but for the division. */
function meanScore(row: AnswerRow | undefined): number {
  const trials = row?.evaluations.flatMap((one) => one.trials) ?? [];
  const numbers = trials
    .map(({ scores }) => at(scores, sortedScore))
    .filter((one) => typeof one === "number");
  return numbers.reduce((a, b) => a + b, 0) / numbers.length;
}

function at(value: unknown, path: readonly string[]): unknown {
  const [name, ...others] = path;
  if (name === undefined) return value;
  return typeof value === "object" && value !== null
    ? at(Object.entries(value).find(([key]) => key === name)?.[1], others)
    : undefined;
}

function checkSummary(small: Answer, large: Answer, times: number): void {
  expectEqual("row_count", large.summary?.row_count, (small.summary?.row_count ?? Number.NaN) * times);
  for (const [i, was] of small.summary?.evaluations.entries() ?? []) {
    const is = large.summary?.evaluations[i];
    expectEqual("trial_count", is?.trial_count, was.trial_count * times);
    const [found, wanted] = [is?.scorer_stats.map(counted), was.scorer_stats.map((one) => grown(one, times))];
    expectEqual("scorer_stats", JSON.stringify(found), JSON.stringify(wanted));
  }
}

/** What of a statistic follows from that of the smaller database. */
function counted(stat: ScorerStat) {
  const { scorer_key, path, trial_count, numeric_count, numeric_mean } = stat;
  const { pass_true_count, pass_known_count, pass_rate, pass_signal_coverage } = stat;
  return {
    scorer_key,
    path,
    trial_count,
    numeric_count,
    numeric_mean,
    pass_true_count,
    pass_known_count,
    pass_rate,
    pass_signal_coverage,
  };
}

function grown(stat: ScorerStat, times: number) {
  return {
    ...counted(stat),
    trial_count: stat.trial_count * times,
    numeric_count: stat.numeric_count * times,
    pass_true_count: stat.pass_true_count * times,
    pass_known_count: stat.pass_known_count * times,
  };
}

function expectEqual<T>(what: string, found: T, wanted: T): void {
  if (!Object.is(found, wanted)) throw new Error(`${what}: ${String(found)} instead of ${String(wanted)}`);
}
