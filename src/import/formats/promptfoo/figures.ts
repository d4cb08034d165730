import type { Json, JsonObject } from "../../../model/json.ts";
import { sumOf } from "../../check/moments.ts";
import type { ScoreBook } from "../../check/score-book.ts";
import { numberAt, objectAt } from "../../read/members.ts";
import type { LogItem } from "../../translate/log-parts.ts";
import type { Counted } from "./result.ts";
import type { PromptfooRun } from "./run.ts";

/** Counts results, and compares the counts with those that a log states. */
export interface Figures {
  readonly add: (evaluation: string, counted: Counted) => void;
  readonly refuse: () => void;
  readonly refused: () => number;
  readonly compare: (run: PromptfooRun, book: ScoreBook) => Generator<LogItem>;
}

interface Sums {
  pass: number;
  fail: number;
  error: number;
  latencyMs: number;
  tokens: number;
}

const none = (): Sums => ({ pass: 0, fail: 0, error: 0, latencyMs: 0, tokens: 0 });

export function createFigures(): Figures {
  const byEvaluation = new Map<string, Sums>();
  const all = none();
  let refused = 0;
  return {
    add: (evaluation, { outcome, latencyMs, tokens }) => {
      const own = byEvaluation.get(evaluation) ?? none();
      byEvaluation.set(evaluation, own);
      for (const sums of [own, all]) {
        sums[outcome]++;
        sums.latencyMs += latencyMs;
        sums.tokens += tokens;
      }
    },
    refuse: () => {
      refused++;
    },
    refused: () => refused,
    *compare(run, book) {
      if (refused > 0) {
        yield { kind: "unchecked", what: "metrics", why: `${refused} results were refused` };
        return;
      }
      for (const { evaluation, metrics } of run.columns)
        yield* columnFigures(evaluation, metrics, byEvaluation.get(evaluation) ?? none(), book);
      yield* compareSums(null, run.stats, { successes: all.pass, failures: all.fail, errors: all.error });
      yield* compareSums(null, objectAt(run.stats, "tokenUsage"), { total: all.tokens }, "tokenUsage.");
    },
  };
}

function* columnFigures(id: string, metrics: JsonObject, sums: Sums, book: ScoreBook): Generator<LogItem> {
  yield* compareSums(id, metrics, {
    testPassCount: sums.pass,
    testFailCount: sums.fail,
    testErrorCount: sums.error,
    totalLatencyMs: sums.latencyMs,
  });
  yield* compareSums(id, objectAt(metrics, "tokenUsage"), { total: sums.tokens }, "tokenUsage.");
  const stated: [string, Json | undefined][] = [
    ["score", metrics["score"]],
    ...Object.entries(objectAt(metrics, "namedScores")).map(([name, value]): [string, Json] => [
      name === "pass" || name === "score" ? `named.${name}` : name,
      value,
    ]),
  ];
  for (const [key, value] of stated) {
    const values = book.find(id, [key])?.values.filter((one) => !Number.isNaN(one)) ?? [];
    if (typeof value === "number") yield figure(id, key, "sum", value, sumOf(values));
  }
}

function* compareSums(
  id: string | null,
  stated: JsonObject,
  computed: Readonly<Record<string, number>>,
  before = "",
): Generator<LogItem> {
  for (const [name, sum] of Object.entries(computed)) {
    const value = numberAt(stated, name);
    if (value !== null) yield figure(id, null, `${before}${name}`, value, sum);
  }
}

function figure(
  id: string | null,
  key: string | null,
  stat: string,
  stated: number,
  computed: number,
): LogItem {
  return {
    kind: "figure",
    figure: { evaluation_call_id: id, scorer_key: key, path: null, stat, stated, computed },
  };
}
