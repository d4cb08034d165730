import { writeJson, type Json, type JsonObject } from "../../model/json.ts";
import { memberTexts, writeMembers } from "../../model/member-texts.ts";
import { formatTimestamp, parseCommonTimestamp, parseTimestamp } from "../../model/timestamp.ts";
import { InvalidRecord } from "./invalid-record.ts";

/** What a time that is a whole number counts since 1970. */
export type EpochUnit = "seconds" | "milliseconds" | "microseconds";

const NAMES = ["started_at", "ended_at", "deleted_at"] as const;

/** The times of a call in microseconds since 1970. */
interface CallTimes {
  readonly started_at: bigint | null;
  readonly ended_at: bigint | null;
  readonly deleted_at: bigint | null;
  /** Null where no time is a number. */
  readonly unit: EpochUnit | null;
  /** Whether a time has a spelling that others than {@link parseTimestamp} may not read. */
  readonly isOdd: boolean;
}

/** The spellings that DuckDB reads as this package does. */
const PLAIN = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)$/;

/** What reading the times of a record finds beside them. */
interface Found {
  unit: EpochUnit | null;
  isOdd: boolean;
}

/** Reads the times of a record: ISO 8601 with an offset, or whole numbers. Throws {@link InvalidRecord}. */
export function readCallTimes(members: JsonObject): CallTimes {
  const found: Found = { unit: null, isOdd: false };
  const started_at = readTime(members, "started_at", found);
  const ended_at = readTime(members, "ended_at", found);
  const deleted_at = readTime(members, "deleted_at", found);
  return { started_at, ended_at, deleted_at, unit: found.unit, isOdd: found.isOdd };
}

function readTime(members: JsonObject, name: (typeof NAMES)[number], found: Found): bigint | null {
  const value = members[name] ?? null;
  if (value === null) return null;
  const time = typeof value === "string" ? readText(value, found) : readNumber(value, found);
  if (time === null) throw new InvalidRecord([name], refusal(value));
  return time;
}

function readText(value: string, found: Found): bigint | null {
  const common = parseCommonTimestamp(value);
  if (common !== null) return common;
  found.isOdd ||= !PLAIN.test(value);
  return parseTimestamp(value);
}

function readNumber(value: Json, found: Found): bigint | null {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) return null;
  found.unit = epochUnit(value);
  found.isOdd = true;
  return BigInt(value) * MICROSECONDS[found.unit];
}

const MICROSECONDS = { seconds: 1_000_000n, milliseconds: 1000n, microseconds: 1n } as const;

/** By size: 1e11 seconds are the year 5138, 1e11 milliseconds are 1973, and 1e14 microseconds are 1973. */
function epochUnit(value: number): EpochUnit {
  if (value < 1e11) return "seconds";
  return value < 1e14 ? "milliseconds" : "microseconds";
}

const SHOWN = 60;

function refusal(value: Json): string {
  const text = writeJson(value);
  const shown = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
  return `must be an ISO 8601 time with offset, for example 2026-01-31T12:00:00.000000Z, or a whole number of seconds, milliseconds or microseconds since 1970; not ${shown}`;
}

/** The text of a record with its times in the spelling that everyone reads; all else stays as it was sent. */
export function withPlainTimes(text: string, times: CallTimes): string {
  const members = memberTexts(text);
  for (const name of NAMES) {
    const time = times[name];
    if (time !== null) members.set(name, JSON.stringify(formatTimestamp(time)));
  }
  return writeMembers(members);
}
