import type { LogSource, ReadContext } from "../../format.ts";
import { orRefused, SourceFault } from "../../read/fault.ts";
import type { JsonCut } from "../../read/json-cut.ts";
import { parseLine, textLines } from "../../read/json-lines.ts";
import { jsonPieces, parsePlain, readDocument } from "../../read/json-pieces.ts";
import { expectObject, listAt, numberAt, objectAt, omit, textAt } from "../../read/members.ts";
import { withoutNoNumbers } from "../../read/no-numbers.ts";
import { hashOf, rootId } from "../../translate/ids.ts";
import type { LogEvaluation } from "../../translate/log-parts.ts";
import { readTime } from "../../translate/times.ts";
import type { Json, JsonObject } from "../../../model/json.ts";

/** What a log of promptfoo says of the run as a whole, and its evaluations: one a prompt and provider. */
export interface PromptfooRun {
  /** The columns that the log lists, with the figures that it states of them. */
  readonly columns: readonly { readonly evaluation: string; readonly metrics: JsonObject }[];
  readonly stats: JsonObject;
  /** The evaluations of those columns, and those that were made. */
  readonly evaluations: () => readonly LogEvaluation[];
  /** The evaluation of a result; one that was not listed is made. */
  readonly evaluationOf: (result: JsonObject) => LogEvaluation;
  /** Counts how often this was asked with one text. */
  readonly occurrence: (text: string) => number;
}

/** What evaluations of a run share. */
interface RunParts {
  readonly task: string;
  readonly startedAt: bigint | null;
  readonly logVersion: Json;
  readonly config: JsonObject;
  readonly toolVersion: string | null;
  readonly notes: readonly string[];
  readonly prompts: readonly Json[];
  /** Whether results say the number of their prompt; those of version 1 and 2 do not. */
  readonly isNumbered: boolean;
  /** Whether evaluations are told apart by their prompts. */
  readonly showsLabel: boolean;
  readonly stats: JsonObject;
  /** Whether the log does not say which run it is. */
  readonly isUnknown: boolean;
  /** The identity of a column. */
  readonly identityOf: (column: Column) => string;
}

interface Column {
  /** Null in logs of version 1 and 2. */
  readonly index: number | null;
  readonly model: string;
  readonly prompt: string;
}

/** The run of a log that is one object: the whole export, or the results alone. */
function runOfObject(log: JsonObject): PromptfooRun {
  const inner = Array.isArray(log["results"]) ? log : objectAt(log, "results");
  const evalId = textAt(log, "evalId");
  const config = omit(objectAt(log, "config"), ["tests", "env", "sharing"]);
  const timestamp = textAt(inner, "timestamp") ?? textAt(log, "metadata", "evaluationCreatedAt");
  const version = numberAt(inner, "version");
  const numbered = listAt(inner, "prompts");
  const head = listAt(inner, "table", "head", "prompts");
  const prompts = numbered.length > 0 ? numbered : head.filter((one) => textAt(one, "provider") !== null);
  return createRun({
    task: textAt(config, "description") ?? evalId ?? "promptfoo",
    startedAt: readTime(timestamp),
    logVersion: version,
    config,
    toolVersion: textAt(log, "metadata", "promptfooVersion"),
    notes:
      version !== null && version > 3
        ? [`version ${version} of the results is newer than those that are known`]
        : [],
    prompts,
    isNumbered: numbered.length > 0 || head.length === 0,
    showsLabel: prompts.length === 0 || new Set(prompts.map(labelOf)).size > 1,
    stats: objectAt(inner, "stats"),
    isUnknown: evalId === null,
    identityOf: ({ index, model, prompt }) => {
      if (index === null) return hashOf([timestamp ?? evalId, model, prompt]);
      return evalId === null ? hashOf([timestamp, index]) : `${evalId}:${index}`;
    },
  });
}

/** The parts of a log of lines, which has neither prompts nor figures. */
function lineIdentity(smallestId: string | null, showsLabel: boolean): RunParts {
  return {
    task: "promptfoo",
    startedAt: null,
    logVersion: null,
    config: {},
    toolVersion: null,
    notes: ["the log has no description; the task is promptfoo"],
    prompts: [],
    isNumbered: true,
    showsLabel,
    stats: {},
    isUnknown: smallestId === null,
    identityOf: ({ index, model, prompt }) => hashOf([smallestId, index ?? [model, prompt]]),
  };
}

function createRun(parts: RunParts): PromptfooRun {
  const known = new Map<string, LogEvaluation>();
  const occurrences = new Map<string, number>();
  const add = (column: Column, prompt: JsonObject) => {
    const evaluation = evaluationOfColumn(parts, column, prompt);
    known.set(evaluation.id, evaluation);
    return evaluation;
  };
  const columns = parts.prompts.map((prompt, at) => {
    const index = parts.isNumbered ? at : null;
    const column = { index, model: textAt(prompt, "provider") ?? "unknown", prompt: labelOf(prompt) };
    return { evaluation: add(column, prompt as JsonObject).id, metrics: objectAt(prompt, "metrics") };
  });
  return {
    columns,
    stats: parts.stats,
    evaluations: () => [...known.values()],
    evaluationOf: (result) => {
      const column = columnOf(result, parts);
      const found = known.get(rootId("promptfoo", parts.identityOf(column)));
      return found ?? add(column, objectAt(result, "prompt"));
    },
    occurrence: (text) => {
      const before = occurrences.get(text) ?? 0;
      occurrences.set(text, before + 1);
      return before;
    },
  };
}

function columnOf(result: JsonObject, { isNumbered }: RunParts): Column {
  const { provider } = result;
  const model =
    typeof provider === "string"
      ? provider
      : (textAt(provider, "label") ?? textAt(provider, "id") ?? "unknown");
  const index = isNumbered ? numberAt(result, "promptIdx") : null;
  return { index, model, prompt: labelOf(result["prompt"]) };
}

function labelOf(prompt: Json | undefined): string {
  if (typeof prompt === "string") return prompt;
  return textAt(prompt, "display") ?? textAt(prompt, "label") ?? textAt(prompt, "raw") ?? "";
}

function evaluationOfColumn(parts: RunParts, column: Column, prompt: JsonObject): LogEvaluation {
  return {
    id: rootId("promptfoo", parts.identityOf(column)),
    ...(parts.isUnknown ? { knownBy: "file" } : {}),
    task: parts.task,
    model: column.model,
    label: column.prompt === "" ? null : column.prompt,
    showsLabel: parts.showsLabel,
    startedAt: parts.startedAt,
    logVersion: parts.logVersion,
    toolVersion: parts.toolVersion,
    notes: parts.notes,
    spec: { prompt: omit(prompt, ["metrics"]), config: parts.config },
  };
}

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
