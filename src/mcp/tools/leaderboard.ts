import type { LeaderboardRequest } from "../../request/leaderboard-request.ts";
import { parseEntrySort } from "../../request/parse-filter.ts";
import type { LeaderboardAnswer } from "../../respond/leaderboard/leaderboard.ts";
import { conclusionText } from "../../words/comparison-words.ts";
import { conclusion } from "../../words/conclusion.ts";
import { scoreOf, shownType } from "../../words/score.ts";
import { ARGUMENTS, argumentsOf } from "../base/arguments.ts";
import { named, spoken, withoutNulls } from "../base/naming.ts";
import { commandRequest, tool } from "../base/tool.ts";

export const leaderboard = tool({
  name: "leaderboard",
  title: "Rank evaluations",
  description:
    "Which run or model is best, and which are not shown different from it? Means over different rows are not comparable: go by standing and rank_interval, not by the order of means; not_shown_worse does not prove as good. Without scorers the headline score alone. by model: the latest run of each. Next: compare for one pair, summary for failed and missing trials.",
  input: {
    ...argumentsOf("project", "evaluations", "by", "where", "scorers", "lower_is_better", "adjust"),
    ...argumentsOf("filters", "sort_by", "costs", "cursor"),
    evaluations: ARGUMENTS.evaluations.optional().describe("default all"),
    where: ARGUMENTS.where.describe('such as {"attributes.branch": "main"}'),
    adjust: ARGUMENTS.board_adjust,
    sort_by: ARGUMENTS.sort_by.describe("scores.NAME:desc, cost, latency"),
  },
  quotes: false,
  run: async (asked) => {
    const { engine, project, given, signal } = asked;
    const { request, warned, labelsOf } = await named<LeaderboardRequest>(asked, given, (key) =>
      parseEntrySort(key),
    );
    const answer = await engine.leaderboard(project, request, { signal });
    const { headline, entries } = answer;
    const lines = linesOf(answer, request, labelsOf(entries.map((one) => one.evaluation_call_id)));
    const isShown = (_: unknown, i: number) => given.scorers !== undefined || i === headline;
    const dimensions = answer.dimensions.filter(isShown);
    return {
      warnings: warned(answer.warnings),
      items: withoutNulls(entries.map((one) => ({ ...one, scores: one.scores.filter(isShown) }))),
      says: () => lines,
      data: (shown) => ({ dimensions, entries: shown }),
      request: () => commandRequest("leaderboard", project, request),
    };
  },
});

/** What is concluded in the headline score, with the best as the baseline. */
function linesOf(
  { entries, dimensions, headline, by, confidence, adjust, family_size: familySize }: LeaderboardAnswer,
  request: LeaderboardRequest,
  labels: ReadonlyMap<string, string>,
): string[] {
  const dimension = dimensions[headline ?? -1];
  const evaluations = entries.map(({ evaluation_call_id: id, model, scores, against_best: comparison }) => {
    const text = (by === "model" ? model : labels.get(id)) ?? id;
    return { name: { id, text, full: text }, stats: scores[headline ?? -1], comparison };
  });
  const baseline = entries.find(({ standing }) => standing === "best")?.evaluation_call_id ?? "";
  const score = dimension === undefined ? null : scoreOf(dimension, shownType(dimension), request);
  const terms = { confidence, adjust, familySize, margin: null };
  return conclusionText(
    conclusion({ evaluations, baseline, score, compared: true, withBest: true, ...terms }),
    spoken,
  );
}
