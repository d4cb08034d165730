import { isFragile, isJsonObject, parseJson, type Json, type JsonObject } from "../../model/json.ts";
import { PROJECT_ID, PROJECT_ID_RULE } from "../../model/project-id.ts";
import { readCall, type Call, type CallReading } from "./call.ts";
import { readCallTimes, withPlainTimes, type EpochUnit } from "./call-times.ts";
import { InvalidRecord } from "./invalid-record.ts";
import type { RecordText } from "./record-text.ts";

/** A call record that was read: its text as it was sent, and what identifies it. */
export interface ParsedCall {
  readonly text: RecordText;
  readonly projectId: string;
  readonly id: string;
  readonly parentId: string | null;
  readonly deleted: boolean;
  /** Whether the record has the end of the call. */
  readonly ended: boolean;
  /** Null while only the end of the call is known. */
  readonly call: Call | null;
  readonly columns: CallColumns;
  readonly unknownMembers: readonly string[];
  /** What times count that are whole numbers; null where none is. */
  readonly epochUnit: EpochUnit | null;
}

/** What of a record has columns of its own beside the text. */
export interface CallColumns {
  readonly opName: string | null;
  /** Microseconds since 1970. */
  readonly startedAt: bigint | null;
  readonly endedAt: bigint | null;
  readonly exception: string | null;
}

const NONE: readonly string[] = [];

type Check = (value: Json) => string | null;

const optionalText: Check = (value) =>
  typeof value !== "string" ? `must be a string or null, not ${typeName(value)}` : nulReason(value);
/** DuckDB's client drops a leading U+FEFF of what it reads. */
const identifierText: Check = (value) =>
  typeof value === "string" && value.startsWith("\uFEFF")
    ? "must not begin with U+FEFF"
    : optionalText(value);
const optionalObject: Check = (value) =>
  isJsonObject(value) ? null : `must be an object or null, not ${typeName(value)}`;

const CHECKS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ["id", identifierText],
  ["project_id", identifierText],
  ["op_name", optionalText],
  ["trace_id", optionalText],
  ["parent_id", identifierText],
  ["display_name", optionalText],
  ["started_at", () => null],
  ["ended_at", () => null],
  ["deleted_at", () => null],
  ["exception", optionalText],
  ["attributes", optionalObject],
  ["inputs", optionalObject],
  ["output", () => null],
  ["summary", optionalObject],
]);

/** Other forms of the record that the source already has. */
export interface RecordForms {
  /** The result of `JSON.parse` of the text. */
  readonly members?: JsonObject;
  /** The UTF-8 bytes of the text; they are then kept instead of the string. */
  readonly bytes?: Uint8Array;
}

/** Reads and checks one call record. Throws {@link InvalidRecord}. */
export function parseCallRecord(text: string, reading: CallReading, forms: RecordForms = {}): ParsedCall {
  const { members, fragile } = parseObject(text, forms.members);
  const unknownMembers: string[] = [];
  for (const name in members) {
    const value = members[name] ?? null;
    const check = CHECKS.get(name);
    if (check === undefined) unknownMembers.push(name);
    const reason = value === null ? null : (check?.(value) ?? null);
    if (reason !== null) throw new InvalidRecord([name], reason);
  }
  const id = requiredText(members, "id");
  const projectId = requiredText(members, "project_id");
  if (!PROJECT_ID.test(projectId)) throw new InvalidRecord(["project_id"], PROJECT_ID_RULE);
  const times = readCallTimes(members);
  const { started_at: startedAt, ended_at: endedAt } = times;
  const hasName = (members["op_name"] ?? null) !== null;
  if (startedAt !== null && !hasName) throw new InvalidRecord(["op_name"], "is required");
  if (startedAt === null && hasName) throw new InvalidRecord(["started_at"], "is required");
  const parentId = textMember(members, "parent_id");
  return {
    text: times.isOdd ? withPlainTimes(text, times) : (forms.bytes ?? text),
    projectId,
    id,
    parentId,
    deleted: times.deleted_at !== null,
    ended: endedAt !== null,
    call:
      startedAt === null
        ? null
        : readCall({ id, parentId, startedAt, endedAt, members, text, fragile }, reading),
    columns: {
      opName: textMember(members, "op_name"),
      startedAt,
      endedAt,
      exception: textMember(members, "exception") || null,
    },
    unknownMembers: unknownMembers.length === 0 ? NONE : unknownMembers,
    epochUnit: times.unit,
  };
}

/**
 * Returns the first required member that a record lacks; null where it lacks none, or ends or deletes a call: both may
 * arrive before the start of the call.
 */
export function missingMember(record: ParsedCall): string | null {
  return record.call === null && !record.ended && !record.deleted ? "op_name" : null;
}

/**
 * The members of a record, and whether its payloads must be read from the text (see `isFragile`). `parsed`: the result
 * of `JSON.parse` of the text, where the caller has it.
 */
export function parseObject(
  text: string,
  parsed?: JsonObject,
): { readonly members: JsonObject; readonly fragile: boolean } {
  let value: Json;
  try {
    value = parsed ?? (JSON.parse(text) as Json);
  } catch (error) {
    throw new InvalidRecord([], `is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!isJsonObject(value)) throw new InvalidRecord([], `must be an object, not ${typeName(value)}`);
  const fragile = isFragile(value, text);
  return { members: fragile ? (parseJson(text) as JsonObject) : value, fragile };
}

export function requiredText(members: JsonObject, name: string): string {
  const value = members[name] ?? null;
  if (value === null) throw new InvalidRecord([name], "is required");
  if (typeof value !== "string") throw new InvalidRecord([name], `must be a string, not ${typeName(value)}`);
  if (value === "") throw new InvalidRecord([name], "must not be empty");
  return value;
}

function textMember(members: JsonObject, name: string): string | null {
  const value = members[name];
  return typeof value === "string" ? value : null;
}

function nulReason(value: string): string | null {
  return value.includes("\0") ? "must not contain U+0000" : null;
}

function typeName(value: Json): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : `${/^[aeiou]/.test(typeof value) ? "an" : "a"} ${typeof value}`;
}
