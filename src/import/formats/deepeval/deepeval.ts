import type { Format, LogSource, ReadContext } from "../../format.ts";
import { orRefused } from "../../read/fault.ts";
import type { JsonCut } from "../../read/json-cut.ts";
import { jsonPieces } from "../../read/json-pieces.ts";
import type { Head } from "../../recognise/head.ts";
import { isPrefixObject } from "../../recognise/json-prefix.ts";
import type { LogItem } from "../../translate/log-parts.ts";
import { statedFigures } from "./figures.ts";
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
  for (const text of notes) yield { kind: "note", text };
  let cases = 0;
  for await (const piece of jsonPieces(source.file.bytes(), CASES_CUT)) {
    if (piece.place === "") continue;
    const read = () => readTestCase(piece, evaluation, cases, context.book);
    const trial = orRefused(read, piece.place, context.refuse);
    cases++;
    if (trial !== null) yield { kind: "trial", trial };
  }
  yield* statedFigures(stated, evaluation.id, context);
}
