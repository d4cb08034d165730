import type { Json, JsonObject } from "../model/json.ts";
import type { CallRecord } from "../ingest/record/sent-records.ts";
import { formatTimestamp } from "../model/timestamp.ts";
import { storedUsage } from "./usage.ts";
import { scorerReference, type LoggedFailure } from "./values.ts";
import { createHash } from "node:crypto";
import { rowDigest } from "../model/digest.ts";
import { modelName, referencedRowDigest } from "../model/references.ts";

/** What all calls of an evaluation share. */
export interface Evaluation {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  /** Reference to the dataset, or the name of the evaluation where there is none. */
  readonly self: string;
  /** Reference to the model. */
  readonly model: string;
  /** Reference to the dataset. */
  readonly dataset: string | undefined;
  readonly attributes: JsonObject;
  /** References to the scorers that state a version, by name. */
  readonly scorers: ReadonlyMap<string, string>;
  /** Op name of trials. */
  readonly trialOp: string;
  /** The member of `attributes` that marks score calls. */
  readonly namespace: string;
}

/** One score of a trial. Times are microseconds since 1970. */
export interface LoggedScore {
  /** Absent where the scorer failed. */
  readonly value?: Json;
  readonly failure?: LoggedFailure;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly usage?: Json;
  readonly reason?: string;
}

/** A trial that has ended, or one under way where `endedAt` is null. */
export interface LoggedTrial {
  readonly id: string;
  readonly number: number;
  /** Null where the row has no key. */
  readonly rowKey: string | null;
  readonly row: Json;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly predictStartedAt: number;
  readonly attempts: number;
  /** Null while the model runs. */
  readonly predictEndedAt: number | null;
  /** Undefined until it is known. */
  readonly output: Json | undefined;
  readonly usage: Json | undefined;
  readonly failure: LoggedFailure | null;
  readonly scores: ReadonlyMap<string, LoggedScore>;
  /** Members of the calls that the model made. */
  readonly calls: readonly JsonObject[];
  readonly stopReason: string | null;
  /** What is stored of it by now: nothing, what a flush wrote while it was under way, or an earlier run of it. */
  readonly before: "nothing" | "part" | "run";
}

export function rootStart(evaluation: Evaluation, startedAt: number): CallRecord {
  const { id, projectId, name, self, model, dataset, attributes } = evaluation;
  return {
    id,
    project_id: projectId,
    op_name: "Evaluation.evaluate",
    trace_id: id,
    started_at: time(startedAt),
    display_name: name,
    inputs: { self, model, dataset },
    attributes,
  };
}

/** `exception` is empty where one is to be taken back; `told` are attributes that the start did not have. */
export function rootEnd(
  { id, projectId, attributes }: Evaluation,
  endedAt: number,
  output: JsonObject,
  exception: string | undefined,
  told: JsonObject,
): CallRecord {
  const ended = { id, project_id: projectId, ended_at: time(endedAt), output, exception };
  return Object.keys(told).length === 0 ? ended : { ...ended, attributes: { ...attributes, ...told } };
}

/** The calls of a trial, in one group. Of a trial under way the score calls are left out: they may never come about. */
export function trialRecords(evaluation: Evaluation, trial: LoggedTrial): CallRecord[] {
  const { failure, scores, calls, endedAt } = trial;
  // Calls come with their whole trial.
  const whole = endedAt === null ? [] : calls;
  const below = whole.map((call, place) => callBelow(evaluation, trial.id, call, place));
  const own = [trialRecord(evaluation, trial), predictRecord(evaluation, trial), ...below];
  if (failure !== null || endedAt === null) return own;
  for (const [scorer, score] of scores) own.push(scoreRecord(evaluation, trial.id, scorer, score));
  return own;
}

function trialRecord(evaluation: Evaluation, trial: LoggedTrial): CallRecord {
  const { failure, number, rowKey, row, attempts, stopReason } = trial;
  return {
    id: trial.id,
    project_id: evaluation.projectId,
    op_name: evaluation.trialOp,
    trace_id: evaluation.id,
    parent_id: evaluation.id,
    started_at: time(trial.startedAt),
    ended_at: time(trial.endedAt),
    exception: exceptionOf(trial),
    attributes: {
      trial_index: number,
      row_key: rowKey ?? undefined,
      ...(attempts > 1 ? { attempts } : {}),
      ...(stopReason === null ? {} : { evalcube: { stop_reason: stopReason } }),
      ...stackOf(failure),
    },
    inputs: { example: row, model: evaluation.model },
    output: trialOutput(trial),
  };
}

function trialOutput({ failure, output, scores, endedAt, before }: LoggedTrial): JsonObject | undefined {
  if (failure !== null) return before === "nothing" ? undefined : {};
  if (endedAt === null && output === undefined && scores.size === 0) return undefined;
  const values = Array.from(scores).flatMap(([scorer, { value }]) =>
    value === undefined ? [] : [[scorer, value] as const],
  );
  return {
    ...(output === undefined && endedAt === null ? {} : { output: output ?? null }),
    scores: Object.fromEntries(values),
  };
}

function predictRecord(evaluation: Evaluation, trial: LoggedTrial): CallRecord {
  const { failure, output, endedAt, usage } = trial;
  return {
    id: predictId(trial.id),
    project_id: evaluation.projectId,
    op_name: "Model.predict",
    trace_id: evaluation.id,
    parent_id: trial.id,
    started_at: time(trial.predictStartedAt),
    ended_at: time(endedAt === null ? null : (trial.predictEndedAt ?? endedAt)),
    exception: exceptionOf(trial),
    attributes: failure === null ? undefined : stackOf(failure),
    inputs: { self: evaluation.model },
    output: failure === null && endedAt !== null ? output : undefined,
    summary: usage === undefined ? undefined : { usage: storedUsage(usage, modelName(evaluation.model)) },
  };
}

function callBelow({ id, projectId, trialOp }: Evaluation, trial: string, call: JsonObject, place: number) {
  // A call of this name would be taken for a trial.
  const name = call["op_name"] === trialOp ? `${trialOp} (call)` : call["op_name"];
  const ids = {
    id: `${trial}-call-${place}`,
    project_id: projectId,
    trace_id: id,
    parent_id: predictId(trial),
  };
  return { ...call, op_name: name, ...ids } as CallRecord;
}

/** An empty text takes back the exception of an earlier run. */
function exceptionOf({ failure, before }: LoggedTrial): string | undefined {
  return failure?.exception ?? (before === "run" ? "" : undefined);
}

/** A score call; `again` where a call of its id is stored already. */
export function scoreRecord(
  { id, projectId, namespace, scorers }: Pick<Evaluation, "id" | "projectId" | "namespace" | "scorers">,
  trial: string,
  scorer: string,
  { value, failure, startedAt, endedAt, usage, reason }: LoggedScore,
  again = false,
): CallRecord {
  const reference = scorers.get(scorer) ?? scorerReference(projectId, scorer);
  const mark = reference === null ? { score: true } : { score: true, scorer: reference };
  return {
    id: scoreId(trial, scorer),
    project_id: projectId,
    op_name: `${scorer}.score`,
    trace_id: id,
    parent_id: trial,
    started_at: time(startedAt),
    ended_at: time(endedAt),
    exception: failure?.exception ?? (again ? "" : undefined),
    attributes: { [namespace]: mark, reason, ...stackOf(failure ?? null) },
    output: value,
    summary: usage === undefined ? undefined : { usage: storedUsage(usage, scorer) },
  };
}

function stackOf(failure: LoggedFailure | null): { readonly stack?: string } {
  return failure === null || failure.stack === null ? {} : { stack: failure.stack };
}

function time(microseconds: number | null): string | undefined {
  return microseconds === null ? undefined : formatTimestamp(BigInt(microseconds));
}

/** The digest by which trials meet on a row. */
export function digestOf(row: Json): string {
  return (typeof row === "string" ? referencedRowDigest(row) : null) ?? rowDigest(row);
}

/** The same for the same evaluation, row and number, so that a trial that is run again is the same call. */
export function trialId(evaluationId: string, digest: string, trial: number): string {
  const hash = createHash("sha256").update(JSON.stringify([evaluationId, digest, trial]));
  return hash.digest("base64url").slice(0, 22);
}

function predictId(trial: string): string {
  return `${trial}-predict`;
}

export function scoreId(trial: string, scorer: string): string {
  return `${trial}-score-${scorer}`;
}
