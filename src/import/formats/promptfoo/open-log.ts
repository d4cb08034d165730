import type { Json } from "../../../model/json.ts";
import type { LogSource, ReadContext } from "../../format.ts";
import { orRefused, SourceFault } from "../../read/fault.ts";
import type { JsonCut } from "../../read/json-cut.ts";
import { parseLine, textLines } from "../../read/json-lines.ts";
import { jsonPieces, parsePlain, readDocument } from "../../read/json-pieces.ts";
import { withoutNoNumbers } from "../../read/no-numbers.ts";
import { expectObject, objectAt, textAt } from "../../read/members.ts";
import { createRun, labelOf, lineIdentity, runOfObject, type PromptfooRun } from "./run.ts";

/** A log of promptfoo: the run, and its results as they are read. */
interface PromptfooLog {
  readonly run: PromptfooRun;
  /** The value of a result that could not be read is its fault. */
  readonly results: AsyncIterable<{ readonly value: Json | SourceFault; readonly place: string }>;
}

const NOTHING: JsonCut = { others: "skip" };

/** In logs of version 1 and 2, its head has the prompts. */
const TABLE_CUT: JsonCut = { members: { body: "skip" } };

const HEADER_CUT: JsonCut = {
  members: {
    results: { members: { results: "skip", table: TABLE_CUT }, elements: NOTHING },
    table: TABLE_CUT,
    config: { members: { tests: "skip", env: "skip", sharing: "skip" } },
  },
};

const RESULT_CUT: JsonCut = {
  members: {
    metadata: "skip",
    response: { members: { raw: "skip", metadata: "skip", logProbs: "skip" } },
  },
};

const RESULTS_CUT: JsonCut = {
  members: {
    results: { members: { results: { elements: RESULT_CUT } }, others: "skip", elements: RESULT_CUT },
  },
  others: "skip",
};

/** Opens a log of one object. It is read twice: the configuration stands behind the results. */
export async function openObject({ file }: LogSource): Promise<PromptfooLog> {
  const header = parsePlain(await readDocument(file.bytes(), HEADER_CUT));
  async function* results() {
    for await (const piece of jsonPieces(file.bytes(), RESULTS_CUT)) {
      if (piece.place !== "") yield { value: parsed(() => parsePlain(piece)), place: piece.place };
    }
  }
  return { run: runOfObject(expectObject(header, null)), results: results() };
}

/** Opens a log of one result a line. It is read twice: the run is known by the smallest id of its results. */
export async function openLines({ file }: LogSource, { refuse }: ReadContext): Promise<PromptfooLog> {
  let smallest: string | null = null;
  const labels = new Set<string>();
  for await (const line of textLines(file.bytes())) {
    const value = orRefused(() => parseLine(line), `line ${line.line}`, refuse);
    if (value === null) continue;
    labels.add(labelOf(objectAt(value, "prompt")));
    const id = textAt(value, "id");
    if (id !== null && (smallest === null || id < smallest)) smallest = id;
  }
  async function* results() {
    for await (const line of textLines(file.bytes())) {
      const value = parsed(() => withoutNoNumbers(parseLine(line)));
      // A line that is no JSON was refused when it was read first.
      if (!(value instanceof SourceFault)) yield { value, place: `line ${line.line}` };
    }
  }
  return { run: createRun(lineIdentity(smallest, labels.size > 1)), results: results() };
}

function parsed(parse: () => Json): Json | SourceFault {
  try {
    return parse();
  } catch (error) {
    if (error instanceof SourceFault) return error;
    throw error;
  }
}
