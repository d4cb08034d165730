import type { JsonObject } from "../../../model/json.ts";
import { numberFigures, unchecked } from "../../check/agreement.ts";
import { sumOf } from "../../check/moments.ts";
import { numbersAt, type ScoreBook } from "../../check/score-book.ts";
import type { ReadContext } from "../../format.ts";
import { numberAt, objectAt } from "../../read/members.ts";
import type { LogItem } from "../../translate/log-parts.ts";
import { namedKey, WEIGHTED } from "./result.ts";
import type { PromptfooRun } from "./run.ts";

/** Compares what a log states of its columns and of the whole with its results, which are counted in the book. */
export function* statedFigures(
  { columns, stats, evaluations }: PromptfooRun,
  { book, refused }: ReadContext,
): Generator<LogItem> {
  if (refused() > 0) {
    yield unchecked("metrics", `${refused()} results were refused`);
    return;
  }
  for (const { evaluation, metrics } of columns) {
    const isOne = columns.filter((one) => one.evaluation === evaluation).length === 1;
    if (isOne) yield* columnFigures(evaluation, metrics, book);
    else yield unchecked("metrics", "two columns have one provider and prompt");
  }
  const all = (name: string) => sumOf(evaluations().map(({ id }) => book.counted(id, name)));
  yield* outcomeFigures(null, stats, all, ["successes", "failures", "errors"]);
  yield* tokenFigures(null, stats, all);
}

type Sums = (name: string) => number;

function* columnFigures(id: string, metrics: JsonObject, book: ScoreBook): Generator<LogItem> {
  const own = (name: string) => book.counted(id, name);
  yield* outcomeFigures(id, metrics, own, ["testPassCount", "testFailCount", "testErrorCount"]);
  yield* numberFigures(id, null, metrics, { totalLatencyMs: own("latency") });
  yield* tokenFigures(id, metrics, own);
  const scores = numbersAt(book, id, "score");
  yield* numberFigures(id, "score", { sum: metrics["score"] ?? null }, { sum: sumOf(scores) });
  for (const [name, sum] of Object.entries(objectAt(metrics, "namedScores")))
    if (own(`has ${name}`) === 0) yield unchecked(name, "no result has it; it is made of other metrics");
    else yield* numberFigures(id, namedKey(name), { sum }, { sum: own(`${WEIGHTED}${name}`) });
}

/** Versions that do not count errors count them as failures. */
function outcomeFigures(
  id: string | null,
  stated: JsonObject,
  sums: Sums,
  [pass, fail, error]: readonly [string, string, string],
) {
  const errors = sums("error");
  const failed = numberAt(stated, error) === null ? sums("fail") + errors : sums("fail");
  return numberFigures(id, null, stated, { [pass]: sums("pass"), [fail]: failed, [error]: errors });
}

function* tokenFigures(id: string | null, stated: JsonObject, sums: Sums): Generator<LogItem> {
  const total = numberAt(stated, "tokenUsage", "total");
  if (total === null) return;
  const what = "tokenUsage.total";
  if (sums("grader tokens") > 0 && total !== sums("tokens"))
    yield unchecked(what, "it may hold the tokens of the graders, as in older versions");
  else yield* numberFigures(id, null, { [what]: total }, { [what]: sums("tokens") });
}
