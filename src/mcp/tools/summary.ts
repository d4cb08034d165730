import { didYouMean } from "../../model/nearest.ts";
import type { EvalResultsRequest } from "../../request/eval-results-request.ts";
import type { ScorerStats, Summary } from "../../respond/summary/scorer-stats.ts";
import { headlineOf, scoresOf, statsOf } from "../../view/model/scores.ts";
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
    "How good is a run, with its 95% interval? What failed, is missing, is null? Does it pass every time? Of each score row_mean, standard error, interval, pass_rate, and how trials ended (error_count, missing_count, null_count). Failed trials are not counted as wrong: means leave them out, so say how many there are. Whether a difference is real only compare tells. pass_k gives pass@k and pass^k where rows have several trials. Next: compare, or rows with missing.",
  input: {
    ...argumentsOf("project", "evaluations", "scorers", "filters", "require_intersection", "pass_k"),
    ...argumentsOf("include_usage", "cursor"),
    include_usage: ARGUMENTS.include_usage.describe("latency and tokens"),
  },
  quotes: false,
  run: async (asked) => {
    const { engine, project, given, signal } = asked;
    const { evaluations: evaluation_call_ids, scorers, ...rest } = given;
    const wanted = { ...rest, evaluation_call_ids, ...SUMMARY };
    const { request, warned, labelsOf } = await named<EvalResultsRequest<true, true>>(asked, wanted);
    const answer = await engine.queryEvalResults(project, request, { signal });
    const whole = plain(answer.summary) as Summary;
    const isShown = shownScores(whole, scorers);
    const lines = linesOf(whole, scorers ?? null, labelsOf(request.evaluation_call_ids ?? []));
    return {
      warnings: warned([...answer.warnings, ...(whole.notes ?? [])]),
      items: whole.evaluations.flatMap(({ scorer_stats: all, ...evaluation }) => {
        const own = all.filter(isShown).map((stats): Item => ({ evaluation, stats }));
        return own.length === 0 ? [{ evaluation }] : own;
      }),
      says: () => lines,
      data: (items) => ({ row_count: whole.row_count, evaluations: grouped(items as readonly Item[]) }),
      request: () => commandRequest("query", project, request),
    };
  },
});

const SUMMARY = {
  include_rows: false,
  include_summary: true,
  include_uncertainty: true,
  include_row_counts: true,
};

/** Statistics of one score, absent where there is none, with the evaluation that they are of. */
interface Item {
  readonly evaluation: Omit<Summary["evaluations"][number], "scorer_stats">;
  readonly stats?: ScorerStats;
}

function grouped(items: readonly Item[]): object[] {
  const evaluations = new Map(items.map(({ evaluation }) => [evaluation, [] as ScorerStats[]]));
  for (const { evaluation, stats } of items)
    if (stats !== undefined) evaluations.get(evaluation)?.push(stats);
  return [...evaluations].map(([evaluation, scorer_stats]) => ({ ...evaluation, scorer_stats }));
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

/** One sentence for each evaluation and score, of the headline score where none is named. */
function linesOf(
  whole: Summary,
  scorers: readonly string[] | null,
  labels: ReadonlyMap<string, string>,
): string[] {
  const question = { scorers };
  const told =
    scorers === null
      ? [headlineOf({ summary: whole, whole: null, question })]
      : scoresOf(whole, question).filter(({ named: isNamed }) => isNamed);
  return whole.evaluations.flatMap(({ evaluation_call_id: id }) =>
    told.map((score) => {
      if (score === null) return "There is no score to show.";
      const stats = statsOf(whole, score).get(id);
      const text = labels.get(id) ?? id;
      return spoken(ownMean({ name: { id, text, full: text }, stats }, score, true));
    }),
  );
}
