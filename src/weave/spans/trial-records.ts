import { createHash } from "node:crypto";
import { canonicalJson } from "../../model/digest.ts";
import { grouped } from "../../model/grouped.ts";
import { parseJson, type Json, type JsonObject } from "../../model/json.ts";
import type { AgentTrial } from "../../model/otlp/agent-trials.ts";
import type { Span } from "../../model/otlp/export.ts";
import { WITHDRAWN_OP } from "../../model/references.ts";
import { modelCounts } from "../../model/token-counts.ts";
import { formatTimestamp } from "../../model/timestamp.ts";
import type { WeaveSeam } from "../request/seam.ts";
import { idOfTrace, spanRecord, TRIAL_OP, type StoredTraces } from "./stored-traces.ts";

export const idOfRoot = ({ trace, id }: Span) => `${idOfTrace(trace)}:${id}`;
export const idOfTrial = ({ root }: AgentTrial) => idOfRoot(root);

/** The calls of a trial and of its root, which is the predict call. */
export function recordsOfTrial(project: string, trial: AgentTrial, digest: string): JsonObject[] {
  const id = idOfTrial(trial);
  const { root, model, task, error, stopReason, cost, tokens } = trial;
  const evaluation = evaluationId(trial);
  const usage = Object.fromEntries(Array.from(tokens, ([of, counts]) => [of, modelCounts(counts)]));
  return [
    {
      id,
      project_id: project,
      op_name: TRIAL_OP,
      trace_id: evaluation,
      parent_id: evaluation,
      started_at: formatTimestamp(root.startedAt),
      ended_at: formatTimestamp(root.endedAt ?? root.startedAt),
      ...(error === null ? {} : { exception: error.replaceAll("\0", "\uFFFD") }),
      attributes: {
        evalcube: {
          sample: { ...trial.row, trace_id: root.trace, span_id: root.id },
          ...(stopReason === null ? {} : { stop_reason: stopReason }),
        },
      },
      inputs: {
        model,
        example: `svc:///${project}/object/otlp:${shortHash(task).slice(0, 8)}/attr/rows/id/${digest}`,
      },
      output: {
        output: trial.output,
        scores: trial.scores,
        details: trial.details,
        ...(cost === null ? {} : { cost_usd: cost }),
      },
    },
    { ...spanRecord(project, root, id), ...(tokens.size === 0 ? {} : { summary: { usage } }) },
    markRecord(project, root),
  ];
}

/** Stands below the trace, so that a trial is found when a score of the trace comes, or a span above its root. */
function markRecord(project: string, { trace, id, startedAt }: Span): JsonObject {
  const time = formatTimestamp(startedAt);
  return {
    id: `otlp:agent:${trace}:${id}`,
    project_id: project,
    op_name: "evalcube.agent",
    trace_id: trace,
    parent_id: idOfTrace(trace),
    started_at: time,
    ended_at: time,
    attributes: { evalcube: { sample: { trace_id: trace, span_id: id } } },
    inputs: {},
  };
}

function evaluationId({ run, task, agent, model, root }: AgentTrial): string {
  const { "service.name": service = null, "service.instance.id": instance = null } = root.resource;
  return `otlp:${shortHash([run ?? [service, instance], task, agent, model])}`;
}

/** The root calls of evaluations: they begin with their first trial, and end with their last. */
export async function rootRecords(
  { stored }: Pick<WeaveSeam, "stored">,
  project: string,
  trials: readonly AgentTrial[],
  signal: AbortSignal | undefined,
): Promise<JsonObject[]> {
  const groups = grouped(trials, evaluationId);
  const known = await stored.calls(project, [...groups.keys()], signal);
  return Array.from(groups, ([id, all]) => {
    const [first] = all as [AgentTrial];
    const before = JSON.parse(known.get(id) ?? "{}") as { started_at?: string; ended_at?: string };
    const starts = all.map(({ root }) => formatTimestamp(root.startedAt));
    const ends = all.map(({ root }) => formatTimestamp(root.endedAt ?? root.startedAt));
    return {
      id,
      project_id: project,
      op_name: "Evaluation.evaluate",
      trace_id: id,
      display_name: `${first.task}: ${first.model}`.replaceAll("\0", "\uFFFD"),
      started_at:
        [...starts, ...(before.started_at === undefined ? [] : [before.started_at])].sort()[0] ?? "",
      ended_at: [...ends, ...(before.ended_at === undefined ? [] : [before.ended_at])].sort().at(-1) ?? "",
      attributes: { evalcube: { import: { format: "otlp" }, spec: { agent: first.agent } } },
      inputs: { self: `otlp:${first.task}`, model: first.model },
    };
  });
}

export function shortHash(value: Json): string {
  return createHash("sha256").update(canonicalJson(value)).digest("base64url").slice(0, 22);
}

/** The record of what is no trial, or no evaluation, any more. */
export function withdrawn({
  id = null,
  project_id = null,
  started_at = null,
  ended_at = null,
}: JsonObject): JsonObject {
  return {
    id,
    project_id,
    op_name: WITHDRAWN_OP,
    trace_id: id,
    started_at,
    ended_at,
    attributes: {},
    inputs: {},
  };
}

/** The records of evaluations whose last trial is now one of another evaluation, or none. */
export async function emptied(
  { stored }: Pick<WeaveSeam, "stored">,
  project: string,
  before: StoredTraces["trials"],
  trials: readonly AgentTrial[],
  signal: AbortSignal | undefined,
): Promise<JsonObject[]> {
  const places = new Map(trials.map((trial) => [idOfTrial(trial), evaluationId(trial)]));
  const kept = new Set(places.values());
  const moved = [...before].filter(([id, { evaluation }]) => places.get(id) !== evaluation);
  const records: JsonObject[] = [];
  for (const [evaluation, some] of grouped(moved, ([, one]) => one.evaluation)) {
    if (kept.has(evaluation)) continue;
    const ids = new Set(some.map(([id]) => id));
    const page = { trialId: null, predictionId: null, offset: 0, limit: ids.size + 1 } as const;
    const found: string[] = [];
    const parts = stored.trials(project, { ...page, evaluationId: evaluation, relatives: "predict" }, signal);
    for await (const part of parts) found.push(...part.trials.map(({ id }) => id));
    if (found.some((id) => !ids.has(id))) continue;
    const record = (await stored.calls(project, [evaluation], signal)).get(evaluation);
    if (record !== undefined) records.push(withdrawn(parseJson(record) as JsonObject));
  }
  return records;
}
