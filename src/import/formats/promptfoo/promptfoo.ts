import { orRefused, SourceFault, noSamples } from "../../read/fault.ts";
import type { Json } from "../../../model/json.ts";
import type { Head } from "../../recognise/head.ts";
import { isPrefixObject, type Prefix } from "../../recognise/json-prefix.ts";
import type { LogItem, LogTrial } from "../../translate/log-parts.ts";
import type { Format, LogSource, ReadContext } from "../../format.ts";
import { createFigures, type Figures } from "./figures.ts";
import { openLines, openObject } from "./open-log.ts";
import { readResult } from "./result.ts";
import type { PromptfooRun } from "./run.ts";

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
  const isDated = "version" in inner && "timestamp" in inner;
  if (isLong && isDated) return Array.isArray(results) || Array.isArray(prompts);
  if (!Array.isArray(results) || !(isLong || isPrefixObject(stats) || isPrefixObject(table))) return false;
  return isDated || (results.length === 0 ? inner !== json : isResult(results[0]));
}

/** Other tools have lists of results as well. */
function isResult(first: Prefix | undefined): boolean {
  return isPrefixObject(first) && "success" in first && ("prompt" in first || "vars" in first);
}

function isLines({ firstLine, json }: Head): boolean {
  const first: Prefix | undefined = firstLine ?? json;
  if (!isPrefixObject(first)) return false;
  const isGraded = "gradingResult" in first || "namedScores" in first;
  return isGraded && "promptIdx" in first && "testIdx" in first && "provider" in first;
}

const LEFT_OUT =
  "left out of each result: the provider's raw response and metadata; scores of assertions without a metric are details";

async function* readPromptfoo(source: LogSource, context: ReadContext): AsyncGenerator<LogItem> {
  const { run, results } = isLines(source.head) ? await openLines(source, context) : await openObject(source);
  yield { kind: "tool", version: run.toolVersion };
  for (const text of run.notes) yield { kind: "note", text };
  for (const evaluation of run.planned) yield { kind: "evaluation", evaluation };
  const figures = createFigures();
  let trials = 0;
  for await (const { value, place } of results) {
    const trial = trialOf(value, place, run, context, figures);
    for (const evaluation of run.takeNew()) yield { kind: "evaluation", evaluation };
    if (trial !== null) yield { kind: "trial", trial };
    if (trial !== null) trials++;
  }
  if (trials === 0 && figures.refused() === 0)
    throw noSamples("holds no results; there is nothing to import");
  yield { kind: "note", text: LEFT_OUT };
  yield* figures.compare(run, context.book);
}

function trialOf(
  value: Json | SourceFault,
  place: string,
  run: PromptfooRun,
  context: ReadContext,
  figures: Figures,
): LogTrial | null {
  const read = () => {
    if (value instanceof SourceFault) throw value;
    return readResult(value, place, run);
  };
  const found = orRefused(read, place, context.refuse);
  if (found === null) figures.refuse();
  else figures.add(found.trial.evaluation, found.counted);
  return found?.trial ?? null;
}
