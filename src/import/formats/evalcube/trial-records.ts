import { referencedRowDigest, ROW_MARK } from "../../../model/references.ts";
import { rowDigest } from "../../../model/digest.ts";
import type { Json, JsonObject } from "../../../model/json.ts";
import { NO_OUTPUT } from "../../../model/messages.ts";
import { formatTimestamp } from "../../../model/timestamp.ts";
import { titleOf } from "../../translate/file-names.ts";
import type { ExportedEvaluation, ExportedTrial } from "./exported-trial.ts";

/** The root call of an evaluation; null where it had none. */
export function rootRecord(one: ExportedEvaluation, project: string, source: string): JsonObject | null {
  if (one.startedAt === null) return null;
  return given({
    id: one.id,
    project_id: project,
    op_name: "Evaluation.evaluate",
    trace_id: one.traceId,
    display_name: one.name,
    started_at: formatTimestamp(one.startedAt),
    ended_at: one.endedAt === null ? null : formatTimestamp(one.endedAt),
    exception: one.error,
    attributes: { evalcube: { import: { format: "evalcube", source, file_name: titleOf(source) } } },
    inputs: given({ self: one.ref, model: one.model }),
  });
}

/** What a trial refers to as its row, and the dataset row, where it is one whose value is known. */
export function rowOf(
  { digest, dataset, row }: ExportedTrial,
  project: string,
): { readonly example: Json; readonly record: JsonObject | null } {
  const isReference = typeof row === "string" && referencedRowDigest(row) === digest;
  if (dataset === null && row !== undefined && (isReference || rowDigest(row) === digest))
    return { example: row, record: null };
  const example = `${dataset ?? `svc:///${project}/object/rows:export`}${ROW_MARK}${digest}`;
  const record = row === undefined || isReference ? null : { project_id: project, digest, val: row };
  return { example, record };
}

/** The calls of a trial: its own, and that of the model where it had one. */
export function trialRecords(trial: ExportedTrial, project: string, example: Json): readonly JsonObject[] {
  const { evaluation, startedAt, latency, predictId } = trial;
  const duration = predictId === null ? null : exactDuration(latency);
  const usage =
    trial.tokens === null ? null : { [evaluation.model ?? "model"]: { total_tokens: trial.tokens } };
  const summary = usage === null ? null : { usage };
  const shared = {
    project_id: project,
    trace_id: evaluation.traceId,
    started_at: formatTimestamp(startedAt),
  };
  const own = given({
    ...shared,
    id: trial.id,
    op_name: "Evaluation.predict_and_score",
    parent_id: evaluation.id,
    ended_at: formatTimestamp(startedAt + (duration ?? 0n)),
    exception: hasNoOutput(trial) ? null : trial.error,
    inputs: given({ model: evaluation.model, example }),
    output: hasNoOutput(trial) ? null : outputOf(trial, duration === null ? latency : null),
    summary: predictId === null ? summary : null,
  });
  if (predictId === null) return [own];
  const predict = given({
    ...shared,
    id: predictId,
    op_name: "predict",
    parent_id: trial.id,
    ended_at: duration === null ? null : formatTimestamp(startedAt + duration),
    inputs: given({ self: evaluation.model }),
    summary,
  });
  return [own, predict];
}

/** Whether a trial is in error because it has no output, and not because of an exception. */
function hasNoOutput({ error, output, details, scores }: ExportedTrial): boolean {
  return error === NO_OUTPUT && output === null && details === undefined && Object.keys(scores).length === 0;
}

function outputOf({ output, scores, details, cost }: ExportedTrial, latency: number | null): JsonObject {
  return {
    output,
    scores,
    ...(details === undefined ? {} : { details }),
    ...(cost === null ? {} : { cost_usd: cost }),
    ...(latency === null ? {} : { model_latency: latency }),
  };
}

const LONGEST_SECONDS = 1e8;

/** A latency in microseconds where the times of a call can tell it; null where they cannot. */
function exactDuration(seconds: number | null): bigint | null {
  if (seconds === null || Math.abs(seconds) > LONGEST_SECONDS) return null;
  const microseconds = Math.round(seconds * 1e6);
  return microseconds / 1e6 === seconds ? BigInt(microseconds) : null;
}

/** The members that have a value. */
function given(members: { readonly [name: string]: Json }): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
}
