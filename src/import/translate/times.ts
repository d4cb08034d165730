import type { LogScore, LogTrial, StartedEvaluation } from "./log-parts.ts";
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

/** When a trial or a score began: without a time of its own, in its place after the start of the run. */
export function startOf(
  { startedAt }: StartedEvaluation,
  one: Pick<LogTrial | LogScore, "startedAt" | "index">,
): bigint {
  return one.startedAt ?? startedAt + BigInt(one.index);
}

/** When a trial began, its answer was there, and it ended, in microseconds since 1970. */
export function timesOf(evaluation: StartedEvaluation, trial: LogTrial) {
  const { endedAt, prediction } = trial;
  const startedAt = startOf(evaluation, trial);
  const duration = prediction?.seconds ?? null;
  const predictedAt = duration === null ? null : startedAt + microsecondsOf(duration);
  return { startedAt, predictedAt, endedAt: endedAt ?? predictedAt ?? startedAt };
}
