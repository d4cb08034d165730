import { isFragile, isJsonObject, parseJson, type Json, type JsonObject } from "../../model/json.ts";
import { memberTexts, writeMembers } from "../../model/member-texts.ts";
import { PROJECT_ID, PROJECT_ID_RULE } from "../../model/project-id.ts";
import { readCall, type Call } from "./call.ts";
import { type CallReading } from "./call-reading.ts";
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
  /** What part of its call the record is, where a load takes parts; null for a record of any other load. */
  readonly part: CallPart | null;
  readonly nameRank: NameRank;
}

/** `name` renames a call; `whole` has its start and its end. */
export type CallPart = "start" | "end" | "whole" | "name";

/** Where the display name of a call comes from: its start, its end, or a later renaming. The higher one stands. */
export type NameRank = 0 | 1 | 2;

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
  // What is no text names nobody.
  ["wb_user_id", () => null],
  ["deleted_by", () => null],
]);

/** Other forms of the record that the source already has. */
export interface RecordForms {
  /** The result of `JSON.parse` of the text. */
  readonly members?: JsonObject;
  /** The UTF-8 bytes of the text; they are then kept instead of the string. */
  readonly bytes?: Uint8Array;
  /** Whether the record may be a part of a call. */
  readonly isPart?: boolean;
}

/** Reads and checks one call record. Throws {@link InvalidRecord}. */
export function parseCallRecord(text: string, reading: CallReading, forms: RecordForms = {}): ParsedCall {
  const { members, fragile } = parseObject(text, forms.members);
  const unknownMembers = checkMembers(members);
  const id = requiredText(members, "id");
  const projectId = requiredText(members, "project_id");
  if (!PROJECT_ID.test(projectId)) throw new InvalidRecord(["project_id"], PROJECT_ID_RULE);
  const times = readCallTimes(members);
  const { started_at: startedAt, ended_at: endedAt } = times;
  const hasName = (members["op_name"] ?? null) !== null;
  if (startedAt !== null && !hasName) throw new InvalidRecord(["op_name"], "is required");
  if (startedAt === null && hasName) throw new InvalidRecord(["started_at"], "is required");
  const parentId = textMember(members, "parent_id");
  const displayName = textMember(members, "display_name");
  const part =
    forms.isPart === true && times.deleted_at === null
      ? partOf(hasName, endedAt !== null, displayName)
      : null;
  if (part !== null && displayName === "") return withoutName(text, part, reading, forms);
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
    columns: columnsOf(members, startedAt, endedAt),
    unknownMembers,
    epochUnit: times.unit,
    part,
    nameRank: displayName === null || part === null ? 0 : NAME_RANKS[part],
  };
}

function columnsOf(members: JsonObject, startedAt: bigint | null, endedAt: bigint | null): CallColumns {
  const exception = textMember(members, "exception") || null;
  return { opName: textMember(members, "op_name"), startedAt, endedAt, exception };
}

/** Checks the types of known members, and returns the names of the others. Throws {@link InvalidRecord}. */
function checkMembers(members: JsonObject): readonly string[] {
  const unknownMembers: string[] = [];
  for (const name in members) {
    const value = members[name] ?? null;
    const check = CHECKS.get(name);
    if (check === undefined) unknownMembers.push(name);
    const reason = value === null ? null : (check?.(value) ?? null);
    if (reason !== null) throw new InvalidRecord([name], reason);
  }
  return unknownMembers.length === 0 ? NONE : unknownMembers;
}

const NAME_RANKS = { start: 0, whole: 0, end: 1, name: 2 } as const;

/** A deletion is no part: it merges as it does in any load. */
function partOf(hasName: boolean, isEnded: boolean, displayName: string | null): CallPart | null {
  if (hasName) return isEnded ? "whole" : "start";
  if (isEnded) return "end";
  return displayName === null ? null : "name";
}

/** An empty display name is none; a renaming to it takes the name away. */
function withoutName(text: string, part: CallPart, reading: CallReading, forms: RecordForms): ParsedCall {
  const members = memberTexts(text);
  members.delete("display_name");
  const { bytes: _bytes, members: _members, ...others } = forms;
  const parsed = parseCallRecord(writeMembers(members), reading, others);
  return part === "name" ? { ...parsed, part, nameRank: 2 } : parsed;
}

/**
 * Returns the first required member that a record lacks; null where it lacks none, or ends, deletes or renames a call:
 * all of these may arrive before the start of the call.
 */
export function missingMember(record: ParsedCall): string | null {
  const isPart = record.ended || record.deleted || record.part !== null;
  return record.call === null && !isPart ? "op_name" : null;
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
