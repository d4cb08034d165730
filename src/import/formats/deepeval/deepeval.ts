import type { Format, LogSource, ReadContext } from "../../format.ts";
import { orRefused, noSamples } from "../../read/fault.ts";
import type { JsonCut, JsonPiece } from "../../read/json-cut.ts";
import { jsonPieces } from "../../read/json-pieces.ts";
import type { Head } from "../../recognise/head.ts";
import { isPrefixObject } from "../../recognise/json-prefix.ts";
import type { LogItem } from "../../translate/log-parts.ts";
import { createFigures, type Figures } from "./figures.ts";
import { openRun } from "./run.ts";
import { readTestCase } from "./test-case.ts";

/** Results files of DeepEval. */
export const deepeval: Format = { name: "deepeval", recognises: isResults, read: readDeepEval };

function isResults({ json, size, bytes }: Head): boolean {
  if (!isPrefixObject(json)) return false;
  const { testCases: cases, metricsScores } = isPrefixObject(json["testRunData"])
    ? json["testRunData"]
    : json;
  if (!Array.isArray(cases)) return false;
  if (Array.isArray(metricsScores)) return true;
  // What comes last is not seen of a long file.
  const first: unknown = cases[0];
  return size > bytes.length && isPrefixObject(first as never) && "input" in Object(first);
}

const CASES: JsonCut["members"] = {
  testCases: { elements: {} },
  conversationalTestCases: { elements: {} },
};

const CASES_CUT: JsonCut = {
  members: { ...CASES, testRunData: { members: CASES, others: "skip" } },
  others: "skip",
};

async function* readDeepEval(source: LogSource, context: ReadContext): AsyncGenerator<LogItem> {
  const { evaluation, notes, stated } = await openRun(source, context);
  yield { kind: "tool", version: null };
  for (const text of notes) yield { kind: "note", text };
  yield { kind: "evaluation", evaluation };
  const figures = createFigures();
  let cases = 0;
  for await (const piece of jsonPieces(source.file.bytes(), CASES_CUT)) {
    if (piece.place === "") continue;
    const item = itemOf(piece, evaluation, cases++, context, figures);
    if (item !== null) yield item;
  }
  if (cases === 0) throw noSamples("holds no test cases; there is nothing to import");
  yield* figures.compare(stated, evaluation.id, context.book);
}

function itemOf(
  piece: JsonPiece,
  evaluation: Parameters<typeof readTestCase>[1],
  index: number,
  context: ReadContext,
  figures: Figures,
): LogItem | null {
  const found = orRefused(() => readTestCase(piece, evaluation, index), piece.place, context.refuse);
  if (found === null) figures.refuse();
  else figures.add(found.outcomes, found.passed);
  return found === null ? null : { kind: "trial", trial: found.trial };
}
