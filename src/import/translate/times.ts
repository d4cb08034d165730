import type { LogScore, LogTrial, StartedEvaluation } from "./log-parts.ts";
import { parseTimestamp } from "../../model/timestamp.ts";

/** Far beyond any time that can be written; further ones are cut to it, so that whoever checks them meets a number. */
const FAR = 1e18;

/** A number of seconds in whole microseconds. */
export function microsecondsOf(seconds: number): bigint {
  return BigInt(Math.round(Math.max(-FAR, Math.min(FAR, seconds * 1e6))));
}

/** An ISO 8601 time in microseconds since 1970, without zone as UTC; null where the value is none. */
export function readTime(value: unknown): bigint | null {
  if (typeof value !== "string") return null;
  const text = value.trim();
  return parseTimestamp(text) ?? parseTimestamp(/[T ]/.test(text) ? `${text}Z` : `${text}T00:00:00Z`);
}

/** Numbers above these are milliseconds, microseconds and nanoseconds since 1970. */
const FINER = [1e11, 1e14, 1e17];

/** A time as {@link readTime} reads it, or a number of seconds or of their parts since 1970. */
export function readMoment(value: unknown): bigint | null {
  if (typeof value !== "number" && typeof value !== "bigint") return readTime(value);
  const number = Number(value);
  return microsecondsOf(number / 1000 ** FINER.filter((most) => Math.abs(number) > most).length);
}

/** Whether a value is a time that has no zone. */
export function lacksZone(value: unknown): boolean {
  return typeof value === "string" && parseTimestamp(value.trim()) === null && readTime(value) !== null;
}

/** What the names of files have for a time. */
export const TIME_IN_NAME = String.raw`(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?)`;

/** The time of a name in microseconds since 1970; it has no zone. */
export function readTimeInName(time: string): bigint | null {
  return readTime(time.replace(/T(\d\d)-(\d\d)-(\d\d)/, "T$1:$2:$3"));
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
