import { EvalcubeError } from "../errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import { grouped } from "../model/grouped.ts";
import { modelCounts, sumTokens, type TokenSums } from "../model/token-counts.ts";
import type { OutputDetails, ScoreDetails, Usage } from "./api.ts";
import type { LoggedTrial, LoggedScore } from "./call-records.ts";
import type { Clock } from "./clock.ts";
import type { Earlier } from "./trial-book.ts";
import { checkDetails } from "./check-options.ts";
import {
  checkScorer,
  loggedFailure,
  plainJson,
  plainScore,
  type LoggedFailure,
  type PlainJson,
} from "./values.ts";

/** A trial under way: what was logged of it so far. Times are microseconds since 1970. */
export interface Draft {
  readonly id: string;
  readonly number: number;
  readonly rowKey: string | null;
  readonly row: Json;
  readonly clock: Clock;
  readonly scores: Map<string, LoggedScore>;
  readonly calls: JsonObject[];
  /** What chats took, by model. */
  readonly chatTokens: { readonly model: string; readonly tokens: TokenSums }[];
  /** Why the agent stopped. */
  stopReason: string | null;
  /** A start that was given; null where the book of trials knows it. */
  givenStart: number | null;
  /** When the task was called last. */
  predictStartedAt: number;
  /** How often the task was called. */
  attempts: number;
  predictEndedAt: number | null;
  endedAt: number | null;
  output: Json | undefined;
  usage: Json | undefined;
  failure: LoggedFailure | null;
  /** How the trial ended; null while it is under way. */
  ended: "finish" | "fail" | null;
  /** How often a flush wrote it while it was under way. */
  parts: number;
  /** About so many characters of JSON. */
  size: number;
}

/** Characters of a record beside the values that it was given. */
export const RECORD_SIZE = 400;

export function createDraft(
  known: Pick<Draft, "id" | "number" | "rowKey">,
  row: PlainJson,
  clock: Clock,
): Draft {
  return {
    ...known,
    row: row.value,
    clock,
    scores: new Map(),
    calls: [],
    chatTokens: [],
    stopReason: null,
    givenStart: null,
    predictStartedAt: clock.tick(),
    attempts: 1,
    predictEndedAt: null,
    endedAt: null,
    output: undefined,
    usage: undefined,
    failure: null,
    ended: null,
    parts: 0,
    size: row.size + 2 * RECORD_SIZE,
  };
}

/** `startedAt` and `earlier` are what the book of trials says. */
export function loggedTrial(draft: Draft, startedAt: number, earlier: Earlier): LoggedTrial {
  return {
    ...draft,
    usage: draft.usage ?? chatUsage(draft),
    startedAt: draft.givenStart ?? startedAt,
    before: earlier !== "absent" ? "run" : draft.parts > 0 ? "part" : "nothing",
  };
}

/** What the chats took together, by model; undefined where none tells. */
function chatUsage({ chatTokens }: Draft): Json | undefined {
  if (chatTokens.length === 0) return undefined;
  const byModel = grouped(chatTokens, ({ model }) => model);
  return Object.fromEntries(
    Array.from(byModel, ([model, all]) => [model, modelCounts(sumTokens(all.map(({ tokens }) => tokens)))]),
  );
}

/** `endedAt` instead of the time of the clock. */
export function setOutput(draft: Draft, value: unknown, details?: OutputDetails, endedAt?: number): void {
  refuseAfterEnd(draft, "output");
  if (draft.predictEndedAt !== null) throw alreadyLogged(`output: ${namedTrial(draft)} has it already`);
  checkDetails(details);
  const output = value === undefined ? null : take(draft, value, "output");
  addUsage(draft, details?.usage);
  draft.output = output;
  draft.predictEndedAt = endedAt ?? draft.clock.tick();
}

/** Begins another call of the task, the so manieth: what the first did and when it began does not count. */
export function setAttempt(draft: Draft, attempts: number): void {
  draft.attempts = attempts;
  draft.calls.length = draft.chatTokens.length = 0;
  draft.stopReason = null;
  draft.predictStartedAt = draft.clock.tick();
}

export function setUsage(draft: Draft, usage: Usage): void {
  refuseAfterEnd(draft, "usage");
  checkDetails({ usage });
  addUsage(draft, usage);
}

/** Adds counts that were checked. */
export function addUsage(draft: Draft, usage: Usage): void {
  if (usage != null) draft.usage = take(draft, usage, "usage");
}

/** When a scorer began and ended. */
export interface ScoreTimes {
  readonly startedAt: number;
  readonly endedAt: number;
}

/** A score that was checked, and about how many characters of JSON it makes. */
export function readScore(
  scorer: string,
  value: unknown,
  details: ScoreDetails | undefined,
  times: ScoreTimes,
): { readonly score: LoggedScore; readonly size: number } {
  checkScorer(scorer);
  checkDetails(details);
  const plain = plainScore(scorer, value);
  const { usage: told, reason, startedAt } = details ?? {};
  const usage = told == null ? null : plainJson(told, "usage");
  const score: LoggedScore = {
    value: plain.value,
    startedAt: startedAt === undefined ? times.startedAt : startedAt.getTime() * 1000,
    endedAt: times.endedAt,
    ...(usage === null ? {} : { usage: usage.value }),
    ...(reason === undefined ? {} : { reason: reason.toWellFormed() }),
  };
  const size = RECORD_SIZE + 2 * (scorer.length + plain.size) + (usage?.size ?? 0) + (reason?.length ?? 0);
  return { score, size };
}

export function addScore(
  draft: Draft,
  scorer: string,
  value: unknown,
  details?: ScoreDetails,
  times = moment(draft),
): void {
  refuseScore(draft, "logScore", scorer);
  const { score, size } = readScore(scorer, value, details, times);
  draft.scores.set(scorer, score);
  draft.size += size;
}

export function addFailedScore(draft: Draft, scorer: string, error: unknown, times = moment(draft)): void {
  refuseScore(draft, "failScore", scorer);
  const failure = loggedFailure(error);
  draft.scores.set(scorer, { failure, ...times });
  draft.size += RECORD_SIZE + sizeOf(failure);
}

/** Adds a call that the model made, by members of its record. */
export function addCall(draft: Draft, call: object): void {
  const members = take(draft, call, "calls");
  draft.size += RECORD_SIZE;
  if (isJsonObject(members)) draft.calls.push(members);
}

/** Ends the trial. */
export function endDraft(draft: Draft, how: "finish" | "fail", error?: unknown, endedAt?: number): void {
  refuseAfterEnd(draft, how);
  draft.ended = how;
  draft.endedAt = endedAt ?? draft.clock.tick();
  draft.predictEndedAt ??= draft.endedAt;
  if (how === "finish") return;
  draft.failure = loggedFailure(error);
  draft.size += 2 * sizeOf(draft.failure);
}

export function scorerErrors({ failure, scores }: Draft): number {
  if (failure !== null) return 0;
  let errors = 0;
  for (const score of scores.values()) if (score.failure !== undefined) errors++;
  return errors;
}

export function alreadyLogged(message: string): EvalcubeError {
  return new EvalcubeError("already_logged", message);
}

function take(draft: Draft, value: unknown, name: string): Json {
  const plain = plainJson(value, name);
  draft.size += plain.size;
  return plain.value;
}

function moment({ clock }: Draft): ScoreTimes {
  const now = clock.tick();
  return { startedAt: now, endedAt: now };
}

function refuseScore(draft: Draft, what: string, scorer: string): void {
  checkScorer(scorer);
  const call = `${what}(${JSON.stringify(scorer)})`;
  refuseAfterEnd(draft, call);
  if (draft.scores.has(scorer))
    throw alreadyLogged(`${call}: ${namedTrial(draft)} has a score of it already`);
}

function refuseAfterEnd(draft: Draft, what: string): void {
  if (draft.ended !== null)
    throw alreadyLogged(`${what}: ${namedTrial(draft)} has ended already, with ${draft.ended}`);
}

export function namedTrial({ id, number }: Draft): string {
  return `trial ${number} (${id})`;
}

function sizeOf({ exception, stack }: LoggedFailure): number {
  return exception.length + (stack?.length ?? 0);
}
