import type { JsonObject } from "../../../model/json.ts";
import { figureOf, unchecked } from "../../check/agreement.ts";
import { sumOf } from "../../check/moments.ts";
import { numbersAt, type ScoreBook } from "../../check/score-book.ts";
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
  graderTokens: number;
  readonly weighted: Map<string, number>;
}

const none = (): Sums => ({
  pass: 0,
  fail: 0,
  error: 0,
  latencyMs: 0,
  tokens: 0,
  graderTokens: 0,
  weighted: new Map(),
});

export function createFigures(): Figures {
  const byEvaluation = new Map<string, Sums>();
  const all = none();
  let refused = 0;
  return {
    add: (evaluation, counted) => {
      const own = byEvaluation.get(evaluation) ?? none();
      byEvaluation.set(evaluation, own);
      for (const sums of [own, all]) addTo(sums, counted);
    },
    refuse: () => {
      refused++;
    },
    refused: () => refused,
    *compare(run, book) {
      if (refused > 0) {
        yield unchecked("metrics", `${refused} results were refused`);
        return;
      }
      for (const { evaluation, metrics } of run.columns) {
        const isOne = run.columns.filter((one) => one.evaluation === evaluation).length === 1;
        if (isOne) yield* columnFigures(evaluation, metrics, byEvaluation.get(evaluation) ?? none(), book);
        else yield unchecked("metrics", "two columns have one provider and prompt");
      }
      yield* compareCounts(null, run.stats, all, "successes failures errors");
      yield* tokenFigures(null, run.stats, all);
    },
  };
}

function addTo(sums: Sums, { outcome, latencyMs, tokens, graderTokens, weighted }: Counted): void {
  sums[outcome]++;
  sums.latencyMs += latencyMs;
  sums.tokens += tokens;
  sums.graderTokens += graderTokens;
  for (const [name, score] of Object.entries(weighted))
    sums.weighted.set(name, (sums.weighted.get(name) ?? 0) + score);
}

function* columnFigures(id: string, metrics: JsonObject, sums: Sums, book: ScoreBook): Generator<LogItem> {
  yield* compareCounts(id, metrics, sums, "testPassCount testFailCount testErrorCount");
  yield* compareSums(id, null, metrics, { totalLatencyMs: sums.latencyMs });
  yield* tokenFigures(id, metrics, sums);
  const scores = numbersAt(book, id, "score");
  yield* compareSums(id, "score", { sum: metrics["score"] ?? null }, { sum: sumOf(scores) });
  for (const [name, stated] of Object.entries(objectAt(metrics, "namedScores"))) {
    const computed = sums.weighted.get(name);
    const key = name === "pass" || name === "score" ? `named.${name}` : name;
    if (computed === undefined) yield unchecked(name, "no result has it; it is made of other metrics");
    else yield* compareSums(id, key, { sum: stated }, { sum: computed });
  }
}

/** Versions that do not count errors count them as failures. */
function* compareCounts(
  id: string | null,
  stated: JsonObject,
  sums: Sums,
  names: string,
): Generator<LogItem> {
  const [pass = "", fail = "", error = ""] = names.split(" ");
  const failed = numberAt(stated, error) === null ? sums.fail + sums.error : sums.fail;
  yield* compareSums(id, null, stated, { [pass]: sums.pass, [fail]: failed, [error]: sums.error });
}

function* tokenFigures(id: string | null, stated: JsonObject, sums: Sums): Generator<LogItem> {
  const total = numberAt(objectAt(stated, "tokenUsage"), "total");
  if (total === null) return;
  const what = "tokenUsage.total";
  if (sums.graderTokens > 0 && total !== sums.tokens)
    yield unchecked(what, "it may hold the tokens of the graders, as in older versions");
  else yield* compareSums(id, null, { [what]: total }, { [what]: sums.tokens });
}

function* compareSums(
  id: string | null,
  key: string | null,
  stated: JsonObject,
  computed: Readonly<Record<string, number>>,
): Generator<LogItem> {
  for (const [name, sum] of Object.entries(computed)) {
    const value = numberAt(stated, name);
    if (value !== null) yield figureOf(id, key, name, value, sum);
  }
}
