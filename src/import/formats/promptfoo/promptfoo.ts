import { numberFigures, unchecked } from "../../check/agreement.ts";
import { sumOf } from "../../check/moments.ts";
import { numbersAt, type ScoreBook } from "../../check/score-book.ts";
import type { Format, LogSource, ReadContext } from "../../format.ts";
import { namedKey, readResult, WEIGHTED } from "./result.ts";
import { openLines, openObject, type PromptfooRun } from "./run.ts";
import { orRefused } from "../../read/fault.ts";
import { numberAt, objectAt } from "../../read/members.ts";
import type { Head } from "../../recognise/head.ts";
import { hasMembers, isPrefixObject, type Prefix } from "../../recognise/json-prefix.ts";
import type { LogItem } from "../../translate/log-parts.ts";
import type { JsonObject } from "../../../model/json.ts";

/** Compares what a log states of its columns and of the whole with its results, which are counted in the book. */
function* statedFigures(
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

/** Logs of promptfoo: `-o log.json`, `-o log.jsonl`, `promptfoo export eval`. */
export const promptfoo: Format = {
  name: "promptfoo",
  recognises: (head) => isObject(head) || isLines(head),
  read: readPromptfoo,
};

function isObject({ json, size, bytes }: Head): boolean {
  if (!isPrefixObject(json)) return false;
  const inner = isPrefixObject(json["results"]) ? json["results"] : json;
  const { results, stats, table, prompts } = inner;
  // What comes last is not seen of a long file.
  const isLong = size > bytes.length;
  const isDated = hasMembers(inner, "version", "timestamp");
  if (isLong && isDated) return Array.isArray(results) || Array.isArray(prompts);
  if (!Array.isArray(results)) return false;
  const first = results[0] as Prefix | undefined;
  if (isResult(first) && hasMembers(first, "provider", "vars")) return true;
  if (!(isLong || isPrefixObject(stats) || isPrefixObject(table))) return false;
  return isDated || (results.length === 0 ? inner !== json : isResult(first));
}

/** Other tools have lists of results as well. */
function isResult(first: Prefix | undefined): boolean {
  return hasMembers(first, "success", "prompt") || hasMembers(first, "success", "vars");
}

function isLines({ firstLine, json }: Head): boolean {
  const first = firstLine ?? json;
  const isGraded = hasMembers(first, "gradingResult") || hasMembers(first, "namedScores");
  return isGraded && hasMembers(first, "promptIdx", "testIdx", "provider");
}

const LEFT_OUT =
  "left out of each result: the provider's raw response and metadata; scores of assertions without a metric are details";

async function* readPromptfoo(source: LogSource, context: ReadContext): AsyncGenerator<LogItem> {
  const { run, results } = isLines(source.head) ? await openLines(source, context) : await openObject(source);
  for (const evaluation of run.evaluations()) yield { kind: "evaluation", evaluation };
  for await (const { value, place } of results) {
    const trial = orRefused(() => readResult(value, place, run, context.book), place, context.refuse);
    if (trial !== null) yield { kind: "trial", trial };
  }
  yield { kind: "note", text: LEFT_OUT };
  yield* statedFigures(run, context);
}
