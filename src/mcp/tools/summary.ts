import { askSteps, stepMember, stepScores } from "../../model/field-path.ts";
import { didYouMean } from "../../model/nearest.ts";
import type { EvalResultsRequest } from "../../request/eval-results-request.ts";
import type { ScorerStats, Summary } from "../../respond/summary/scorer-stats.ts";
import { headlineOf, scoresOf, statsOf } from "../../view/model/scores.ts";
import type { EvaluationEntry } from "../../engine/catalog/list-evaluations.ts";
import { grouped } from "../../model/grouped.ts";
import { allFailed } from "../../words/errors.ts";
import { ownMean } from "../../words/conclusion.ts";
import { isAmong, scoreKey } from "../../words/score.ts";
import { ARGUMENTS, argumentsOf } from "../base/arguments.ts";
import { named, plain, spoken, unknown } from "../base/naming.ts";
import { commandRequest, tool } from "../base/tool.ts";
import { quotedName } from "../../model/name-text.ts";

export const summary = tool({
  name: "summary",
  title: "Summarise evaluations",
  description:
    "How good is a run, with its 95% interval? What failed, is missing, is null? Does it pass every time? Of each score row_mean, standard error, interval, pass_rate, and how trials ended (error_count, missing_count, null_count). Failed trials are not counted as wrong: say how many there are. Whether a difference is real only compare tells. pass_k gives pass@k and pass^k where rows have several trials. Next: compare, or rows with missing.",
  input: {
    ...argumentsOf("project", "evaluations", "scorers", "filters", "require_intersection", "pass_k"),
    ...argumentsOf("include_usage", "cursor"),
    include_usage: ARGUMENTS.include_usage.describe("latency and tokens"),
  },
  quotes: true,
  run: async (asked) => {
    const { engine, project, given, signal } = asked;
    const { evaluations: evaluation_call_ids, scorers, ...rest } = given;
    const steps = stepScores({ scorers });
    const wanted = { ...rest, evaluation_call_ids, ...SUMMARY, ...stepMember(steps) };
    const { request, warned, evaluations, labelsOf } = await named<EvalResultsRequest<true, true>>(
      asked,
      wanted,
    );
    const answer = await askSteps(steps, () => engine.queryEvalResults(project, request, { signal }));
    const whole = plain(answer.summary) as Summary;
    const isShown = shownScores(whole, scorers);
    const isPart = rest.filters !== undefined || rest.require_intersection === true;
    const failed = failedTrials(whole, isPart ? [] : evaluations);
    const lines = linesOf(whole, scorers ?? null, failed, labelsOf(request.evaluation_call_ids ?? []));
    return {
      warnings: warned([...answer.warnings, ...(whole.notes ?? [])]),
      items: whole.evaluations.flatMap(
        ({ scorer_stats: all, errors = [], other_error_count: left = 0, ...own }) => {
          const error_count = failed.get(own.evaluation_call_id);
          const evaluation = { ...own, ...(error_count === undefined ? {} : { error_count }) };
          const told = { ...(left === 0 ? {} : { other_error_count: left }), quoted: { errors } };
          const [first, ...more] = all.filter(isShown);
          return [
            { evaluation, told, ...(first === undefined ? {} : { stats: first }) },
            ...more.map((stats): Item => ({ evaluation, stats })),
          ];
        },
      ),
      says: () => lines,
      data: (items) => ({ row_count: whole.row_count, evaluations: byEvaluation(items as readonly Item[]) }),
      request: () => commandRequest("query", project, request),
    };
  },
});

const SUMMARY = {
  include_rows: false,
  include_summary: true,
  include_uncertainty: true,
  include_row_counts: true,
  include_errors: true,
};

/** Statistics of one score, absent where there is none, with the evaluation that they are of. */
interface Item {
  readonly evaluation: object;
  /** What is told of its errors, with the first of its scores. */
  readonly told?: object;
  readonly stats?: ScorerStats;
}

function byEvaluation(items: readonly Item[]): object[] {
  return [...grouped(items, ({ evaluation }) => evaluation)].map(([evaluation, own]) => ({
    ...evaluation,
    ...own[0]?.told,
    scorer_stats: own.flatMap(({ stats }) => stats ?? []),
  }));
}

/**
 * Trials in error by evaluation, of those that the summary is of: as the list has them where it is of all. Absent where
 * there are more errors than are told.
 */
function failedTrials(whole: Summary, list: readonly EvaluationEntry[]): ReadonlyMap<string, number> {
  const listed = new Map(list.map((one) => [one.id, one.error_count]));
  const counts = whole.evaluations.flatMap((one): [string, number][] => {
    const trials = (one.errors ?? []).filter(({ kind }) => kind === "trial");
    const told = one.other_error_count === 0 ? trials.reduce((sum, { count }) => sum + count, 0) : undefined;
    const count = listed.get(one.evaluation_call_id) ?? told;
    return count === undefined ? [] : [[one.evaluation_call_id, count]];
  });
  return new Map(counts);
}

/** Which statistics are asked for. Throws `RequestError` on a name that no score has. */
function shownScores(
  whole: Summary,
  scorers: readonly string[] | undefined,
): (stats: ScorerStats) => boolean {
  if (scorers === undefined) return () => true;
  const all = whole.evaluations.flatMap((one) => one.scorer_stats);
  for (const [i, name] of scorers.entries()) {
    if (all.some((stats) => isAmong(stats, [name]))) continue;
    const near = didYouMean(name, new Set(all.map(scoreKey)));
    throw unknown(
      ["scorers", i],
      `no score ${quotedName(name)} in these evaluations${near}`,
      "describe_fields",
    );
  }
  return (stats) => isAmong(stats, scorers);
}

/** One sentence for each evaluation and score, of the headline score where none is named; one where all failed. */
function linesOf(
  whole: Summary,
  scorers: readonly string[] | null,
  failed: ReadonlyMap<string, number>,
  labels: ReadonlyMap<string, string>,
): string[] {
  const question = { scorers };
  const told =
    scorers === null
      ? [headlineOf({ summary: whole, whole: null, question })]
      : scoresOf(whole, question).filter(({ named: isNamed }) => isNamed);
  return whole.evaluations.flatMap(({ evaluation_call_id: id, trial_count: trials }) => {
    const text = labels.get(id) ?? id;
    const name = { id, text, full: text };
    const all = allFailed(name, failed.get(id) ?? 0, trials);
    if (all !== null) return [spoken(all)];
    return told.map((score) => {
      if (score === null) return "There is no score to show.";
      return spoken(ownMean({ name, stats: statsOf(whole, score).get(id) }, score, true));
    });
  });
}
