import type { JsonObject } from "../../../model/json.ts";
import { figureOf, numberFigures, unchecked } from "../../check/agreement.ts";
import { meanOf } from "../../check/moments.ts";
import { numbersAt } from "../../check/score-book.ts";
import type { ReadContext } from "../../format.ts";
import { listAt, textAt } from "../../read/members.ts";
import type { LogItem } from "../../translate/log-parts.ts";
import { metricKey } from "./test-case.ts";

/** Compares what a log states of its run and of its metrics with its test cases, whose outcomes are counted in the book. */
export function* statedFigures(
  stated: JsonObject,
  evaluation: string,
  { book, refused }: ReadContext,
): Generator<LogItem> {
  if (refused() > 0) {
    yield unchecked("metricsScores", `${refused()} test cases were refused`);
    return;
  }
  const counted = (...name: readonly string[]) => book.counted(evaluation, name.join(" "));
  const cases = { testPassed: counted("pass"), testFailed: counted("fail") };
  yield* numberFigures(evaluation, "pass", stated, cases);
  for (const one of listAt(stated, "metricsScores")) {
    const metric = textAt(one, "metric");
    if (metric === null) continue;
    const key = metricKey(metric);
    const ended = {
      passes: counted("pass", metric),
      fails: counted("fail", metric),
      errors: counted("error", metric),
    };
    yield* numberFigures(evaluation, key, one, ended);
    const scores = listAt(one, "scores").filter((score): score is number => typeof score === "number");
    if (scores.length > 0)
      yield figureOf(evaluation, key, "mean", meanOf(scores), meanOf(numbersAt(book, evaluation, key)));
  }
}
