import type { Json, JsonObject } from "../../../model/json.ts";
import { figureOf, unchecked } from "../../check/agreement.ts";
import { meanOf } from "../../check/moments.ts";
import { numbersAt, type ScoreBook } from "../../check/score-book.ts";
import { listAt, numberAt, textAt } from "../../read/members.ts";
import type { LogItem } from "../../translate/log-parts.ts";
import { metricKey, type Outcome } from "./test-case.ts";

/** Counts outcomes, and compares them with what a log states. */
export interface Figures {
  readonly add: (outcomes: readonly Outcome[], passed: boolean | null) => void;
  readonly refuse: () => void;
  readonly compare: (stated: JsonObject, evaluation: string, book: ScoreBook) => Generator<LogItem>;
}

type Counts = Record<Outcome["ended"], number>;

const none = (): Counts => ({ pass: 0, fail: 0, error: 0 });

export function createFigures(): Figures {
  const byMetric = new Map<string, Counts>();
  const cases = none();
  let refused = 0;
  return {
    add: (outcomes, passed) => {
      if (passed !== null) cases[passed ? "pass" : "fail"]++;
      for (const { metric, ended } of outcomes) {
        const counts = byMetric.get(metric) ?? none();
        byMetric.set(metric, counts);
        counts[ended]++;
      }
    },
    refuse: () => {
      refused++;
    },
    *compare(stated, evaluation, book) {
      if (refused > 0) {
        yield unchecked("metricsScores", `${refused} test cases were refused`);
        return;
      }
      yield* compareCounts(evaluation, "pass", stated, { testPassed: cases.pass, testFailed: cases.fail });
      for (const one of listAt(stated, "metricsScores")) {
        const metric = textAt(one, "metric");
        if (metric !== null)
          yield* metricFigures(one, metric, byMetric.get(metric) ?? none(), evaluation, book);
      }
    },
  };
}

function* metricFigures(
  stated: Json,
  metric: string,
  { pass, fail, error }: Counts,
  evaluation: string,
  book: ScoreBook,
): Generator<LogItem> {
  const key = metricKey(metric);
  yield* compareCounts(evaluation, key, stated, { passes: pass, fails: fail, errors: error });
  const scores = listAt(stated, "scores").filter((score): score is number => typeof score === "number");
  if (scores.length === 0) return;
  const values = numbersAt(book, evaluation, key);
  yield figureOf(evaluation, key, "mean", meanOf(scores), meanOf(values));
}

function* compareCounts(
  evaluation: string,
  key: string,
  stated: Json,
  computed: Readonly<Record<string, number>>,
): Generator<LogItem> {
  for (const [name, count] of Object.entries(computed)) {
    const value = numberAt(stated, name);
    if (value !== null) yield figureOf(evaluation, key, name, value, count);
  }
}
