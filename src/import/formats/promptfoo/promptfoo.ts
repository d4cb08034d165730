import { orRefused } from "../../read/fault.ts";
import type { Head } from "../../recognise/head.ts";
import { hasMembers, isPrefixObject, type Prefix } from "../../recognise/json-prefix.ts";
import type { LogItem } from "../../translate/log-parts.ts";
import type { Format, LogSource, ReadContext } from "../../format.ts";
import { statedFigures } from "./figures.ts";
import { openLines, openObject } from "./open-log.ts";
import { readResult } from "./result.ts";

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
  if (!Array.isArray(results) || !(isLong || isPrefixObject(stats) || isPrefixObject(table))) return false;
  return isDated || (results.length === 0 ? inner !== json : isResult(results[0]));
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
  yield { kind: "tool", version: run.toolVersion };
  for (const text of run.notes) yield { kind: "note", text };
  for (const evaluation of run.evaluations()) yield { kind: "evaluation", evaluation };
  for await (const { value, place } of results) {
    const trial = orRefused(() => readResult(value, place, run, context.book), place, context.refuse);
    if (trial !== null) yield { kind: "trial", trial };
  }
  yield { kind: "note", text: LEFT_OUT };
  yield* statedFigures(run, context);
}
