import type { Json } from "../../model/json.ts";
import { parseTimestamp } from "../../model/timestamp.ts";
import { SourceFault } from "../read/fault.ts";
import type { LogEvaluation, LogTrial } from "./log-parts.ts";
import { withTotal } from "./usage.ts";

/** What a measure can be: more is a mistake of its unit. */
export interface Bound {
  readonly name: string;
  readonly most: number;
  readonly unit: string;
}

export const LATENCY: Bound = { name: "a latency", most: 1e9, unit: " seconds" };
export const TOKENS: Bound = { name: "a count", most: Number.MAX_SAFE_INTEGER, unit: " tokens" };
export const COST: Bound = { name: "a cost", most: 1e12, unit: " US dollars" };

/** Throws {@link SourceFault} on a number that is no such measure; anything else is none. */
export function checkAmount(value: Json | undefined, { name, most, unit }: Bound, place: string): void {
  if ((typeof value !== "number" && typeof value !== "bigint") || (value >= 0 && value <= most)) return;
  const allowed = `0 to ${most.toLocaleString("en-US")}`;
  throw new SourceFault("invalid", place, `has ${name} of ${value}${unit}; ${allowed} are allowed`);
}

const FIRST = parseTimestamp("0000-01-01T00:00:00Z") ?? 0n;
/** A trial that begins then may take the longest latency, and still ends in a year of four digits. */
const LAST = parseTimestamp("9600-01-01T00:00:00Z") ?? 0n;

/** Throws {@link SourceFault} on a time, in microseconds, that cannot be written. */
export function checkTime(time: bigint | null | undefined, place: string | null): void {
  if (time == null || (time >= FIRST && time <= LAST)) return;
  const seconds = Number(time) / 1e6;
  const allowed = "the years 0 to 9599 are allowed";
  throw new SourceFault("invalid", place, `has a time ${seconds} seconds from 1970; ${allowed}`);
}

/** Throws {@link SourceFault} on a run whose times cannot be written. */
export function checkRun({ startedAt, endedAt }: LogEvaluation): void {
  checkTime(startedAt, "the run");
  checkTime(endedAt, "the run");
}

/** Throws {@link SourceFault} on a time, latency, count or cost of a trial that is none. */
export function checkTrial({ place, startedAt, endedAt, prediction, cost }: LogTrial): void {
  checkAmount(prediction?.seconds, LATENCY, place);
  for (const counts of Object.values(prediction?.usage ?? {}))
    checkAmount(withTotal(counts)["total_tokens"], TOKENS, place);
  checkAmount(cost, COST, place);
  checkTime(startedAt, place);
  checkTime(endedAt, place);
}
