import { SourceFault } from "../../read/fault.ts";
import { parseRecord } from "../../read/json-lines.ts";
import { readTime } from "../../translate/times.ts";
import { splitFieldPath } from "../../../model/field-path.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../model/json.ts";
import type { ExportRecord } from "./read-export.ts";

/** An evaluation as the records of its trials tell it. */
export interface ExportedEvaluation {
  readonly id: string;
  readonly name: string | null;
  readonly ref: string | null;
  readonly model: string | null;
  /** Microseconds since 1970; null where the evaluation has no root call. */
  readonly startedAt: bigint | null;
  readonly endedAt: bigint | null;
  readonly error: string | null;
  readonly traceId: string | null;
}

/** A trial of an export. */
export interface ExportedTrial {
  readonly evaluation: ExportedEvaluation;
  readonly id: string;
  /** The position among the trials of its row and evaluation. */
  readonly index: number;
  readonly digest: string;
  /** The dataset of which the trial names a row; null where it holds the row itself. */
  readonly dataset: string | null;
  /** What the row holds, or a reference to it; undefined where the export does not tell it. */
  readonly row: Json | undefined;
  readonly predictId: string | null;
  /** When it started, in microseconds since 1970; of an export that does not tell it, trials are in their order. */
  readonly startedAt: bigint;
  readonly latency: number | null;
  readonly tokens: number | null;
  readonly cost: number | null;
  readonly output: Json;
  readonly error: string | null;
  /** Undefined where it has none. */
  readonly details: Json | undefined;
  readonly scores: JsonObject;
}

/** What a record of an export says. Throws {@link SourceFault}. */
export function readTrial({ place, cells }: ExportRecord): ExportedTrial {
  const read = cellReader(cells, place);
  const evaluation = evaluationOf(read, cells);
  const digest = read.needed("row_digest").replace(/^'/, "");
  const index = read.number("trial_index") ?? 0;
  if (!Number.isSafeInteger(index) || index < 0)
    throw read.fault("trial_index", `is ${index}; a whole number of at least 0 is allowed`);
  return {
    evaluation,
    id: read.text("predict_and_score_call_id") ?? `${evaluation.id}/${digest}/${index}`,
    index,
    digest,
    dataset: read.text("dataset_ref"),
    row: read.json("raw_data_row"),
    predictId: read.text("predict_call_id"),
    startedAt: (evaluation.startedAt ?? 0n) + startAfter(read.number("started_after_seconds"), index),
    latency: read.number("model_latency_seconds"),
    tokens: read.number("total_tokens"),
    cost: read.number("total_cost"),
    output: read.json("model_output") ?? null,
    error: read.text("error"),
    details: read.json("details"),
    scores: scoresOf(read, cells),
  };
}

/** The microseconds from the start of the evaluation to that of the trial. */
function startAfter(seconds: number | null, index: number): bigint {
  return BigInt(seconds === null ? index : Math.round(seconds * 1e6));
}

function evaluationOf(read: CellReader, cells: JsonObject): ExportedEvaluation {
  const id = read.needed("evaluation_call_id");
  return {
    id,
    name: read.text("evaluation_name"),
    ref: read.text("evaluation_ref"),
    model: read.text("model"),
    startedAt: read.time("started_at"),
    endedAt: read.time("ended_at"),
    error: read.text("evaluation_error"),
    // Where no evaluation has a trace of another id, an export does not tell it.
    traceId: cells["trace_id"] == null ? id : read.text("trace_id"),
  };
}

type CellReader = ReturnType<typeof cellReader>;

/** Reads cells by the names of their columns. */
function cellReader(cells: JsonObject, place: string) {
  const fault = (name: string, reason: string, cause?: unknown) =>
    new SourceFault("invalid", `${place}, ${name}`, reason, { cause });
  /** A text that is not empty; null where there is none. */
  const text = (name: string): string | null => {
    const cell = cells[name] ?? null;
    if (cell === null || cell === "") return null;
    if (typeof cell === "object") throw fault(name, "is no text");
    return String(cell);
  };
  return {
    fault,
    text,
    needed: (name: string): string => {
      const found = text(name);
      if (found === null) throw fault(name, "is empty");
      return found;
    },
    number: (name: string): number | null => {
      const found = text(name);
      const number = Number(found);
      if (found !== null && !Number.isFinite(number)) throw fault(name, `is ${found}, which is no number`);
      return found === null ? null : number;
    },
    time: (name: string): bigint | null => {
      const found = text(name);
      const time = readTime(found);
      if (found !== null && time === null) throw fault(name, `is ${found}, which is no time`);
      return time;
    },
    /** The value of a cell with JSON; undefined where there is none. An apostrophe protects spreadsheets. */
    json: (name: string): Json | undefined => {
      const cell = cells[name] ?? null;
      if (cell === null || cell === "") return undefined;
      return typeof cell === "string" ? parseRecord(cell.replace(/^'/, ""), `${place}, ${name}`) : cell;
    },
  };
}

/** Scores by dimension, below one another as the output of a trial has them. */
type Branch = Map<string, Branch | { readonly leaf: Json }>;

function scoresOf(read: CellReader, cells: JsonObject): JsonObject {
  const paths = read.json("score_paths");
  const scores: Branch = new Map();
  for (const [name, value] of Object.entries(cells))
    if (name.startsWith("scores.") && value !== null)
      put(scores, namesOf(isJsonObject(paths) ? paths[name] : undefined, name), value, read, name);
  const nulls = read.json("null_scores") ?? [];
  if (!Array.isArray(nulls)) throw read.fault("null_scores", "is no list");
  for (const place of nulls as readonly Json[])
    put(scores, namesOf(place, `scores.${writtenName(place)}`), null, read, "null_scores");
  return membersOf(scores);
}

const writtenName = (place: Json) => (typeof place === "string" ? place : "");

/** The names of members down to a dimension: as a list says, else as the name of its column does. */
function namesOf(path: Json | undefined, column: string): readonly string[] {
  return Array.isArray(path) ? path.map(String) : splitFieldPath(column).slice(1);
}

function put(scores: Branch, path: readonly string[], leaf: Json, read: CellReader, column: string): void {
  let branch = scores;
  for (const name of path.slice(0, -1)) {
    const next = branch.get(name) ?? new Map();
    if (!(next instanceof Map))
      throw read.fault(column, `is below ${JSON.stringify(name)}, which has a value`);
    branch.set(name, next);
    branch = next;
  }
  const last = path.at(-1) ?? "";
  if (branch.has(last))
    throw read.fault(column, "has a value, and so has what is below it, or the same place");
  branch.set(last, { leaf });
}

function membersOf(branch: Branch): JsonObject {
  return Object.fromEntries(
    Array.from(branch, ([name, one]) => [name, one instanceof Map ? membersOf(one) : one.leaf]),
  );
}
