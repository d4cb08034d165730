import type { LogEvaluation, LogTrial } from "./log-parts.ts";
import { parseTimestamp } from "../../model/timestamp.ts";

/** A time of a log, and whether it lacks a zone; a time without zone is UTC. */
export interface LogTime {
  readonly microseconds: bigint;
  readonly hasZone: boolean;
}

/** Far beyond any time that can be written; further ones are cut to it, so that whoever checks them meets a number. */
const FAR = 1e18;

/** A number of seconds in whole microseconds. */
export function microsecondsOf(seconds: number): bigint {
  return BigInt(Math.round(Math.max(-FAR, Math.min(FAR, seconds * 1e6))));
}

/** Reads an ISO 8601 time; null where the value is none. */
export function readTime(value: unknown): LogTime | null {
  if (typeof value !== "string") return null;
  const text = value.trim();
  const exact = parseTimestamp(text);
  if (exact !== null) return { microseconds: exact, hasZone: true };
  const assumed = parseTimestamp(/[T ]/.test(text) ? `${text}Z` : `${text}T00:00:00Z`);
  return assumed === null ? null : { microseconds: assumed, hasZone: false };
}

/** When a trial began, its answer was there, and it ended, in microseconds since 1970. */
export function timesOf(evaluation: LogEvaluation, { startedAt: own, endedAt, index, prediction }: LogTrial) {
  const startedAt = own ?? (evaluation.startedAt ?? 0n) + BigInt(index);
  const duration = prediction?.seconds ?? null;
  const predictedAt = duration === null ? null : startedAt + microsecondsOf(duration);
  return { startedAt, predictedAt, endedAt: endedAt ?? predictedAt ?? startedAt };
}
