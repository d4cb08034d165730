import { createHash } from "node:crypto";
import { z } from "zod";
import { canonicalJson, rowDigest } from "../../model/digest.ts";
import { grouped } from "../../model/grouped.ts";
import { writeJson, type Json, type JsonObject } from "../../model/json.ts";
import { agentTrials, type AgentTrial } from "../../model/otlp/agent-trials.ts";
import { readExport, type Span, type ToldScore } from "../../model/otlp/export.ts";
import { modelCounts } from "../../model/step-items/token-counts.ts";
import { formatTimestamp } from "../../model/timestamp.ts";
import { authorize, readRequest } from "../request/read-request.ts";
import type { WeaveCaller, WeaveSeam } from "../request/seam.ts";
import { scoreRecord, spanRecord, storedTraces, trialOfTrace, type StoredTraces } from "./stored-traces.ts";

/** Options of storing spans. */
export interface SpanOptions extends WeaveCaller {
  /** The project of what a resource says is of this one, if it says any; throws where there is none. */
  readonly projectFor: (named: string | undefined) => string;
}

/** Spans and scores of OpenTelemetry. */
export interface WeaveSpans {
  /**
   * Stores the spans and log records of an export, in its JSON form; answers `partialSuccess` of what cannot be stored.
   * An agent is a trial as soon as its highest span is there.
   */
  readonly storeSpans: (request: string, options: SpanOptions) => Promise<string>;
}

/** An export of OpenTelemetry in its JSON form. */
export const spansRequest = z
  .looseObject({
    resourceSpans: z.array(z.unknown()).nullish(),
    resourceLogs: z.array(z.unknown()).nullish(),
  })
  .meta({ id: "OtlpExport" });

type Seam = Pick<WeaveSeam, "store" | "storeParts" | "storeRows" | "stored" | "deleteCalls">;

interface Told {
  readonly spans: Span[];
  readonly scores: ToldScore[];
}

export function createSpanWrites(seam: Seam): WeaveSpans {
  // What is stored of a trace is read before more of it is written.
  let last: Promise<unknown> = Promise.resolve();
  return {
    storeSpans: async (request, options) => {
      const value = (await readRequest(request, spansRequest, options)) as JsonObject;
      const { byProject, refused, isLogs } = partsOf(value, options);
      const before = last;
      const storeAll = async () => {
        await before;
        for (const [project, told] of byProject) await storeTold(seam, project, told, options.signal);
      };
      const work = storeAll();
      last = work.catch(() => {});
      await work;
      if (refused.length === 0) return "{}";
      const count = { [isLogs ? "rejectedLogRecords" : "rejectedSpans"]: String(refused.length) };
      const shown = refused.slice(0, MOST_SHOWN).join("; ");
      const errorMessage = refused.length > MOST_SHOWN ? `${shown}; …` : shown;
      return writeJson({ partialSuccess: { ...count, errorMessage } });
    },
  };
}

const MOST_SHOWN = 5;

/** The spans and scores of an export by their projects. */
function partsOf(value: JsonObject, options: SpanOptions) {
  const byProject = new Map<string, Told>();
  const refused: string[] = [];
  const responses = new Map<string, string>();
  const scores: ToldScore[] = [];
  const toldOf = (resource: JsonObject) => {
    const project = projectOf(resource, options);
    const told = byProject.get(project) ?? { spans: [], scores: [] };
    if (!byProject.has(project)) authorize(options, project);
    byProject.set(project, told);
    return told;
  };
  readExport(value, "", {
    span: (span) => {
      toldOf(span.resource).spans.push(span);
      const response = span.attributes["gen_ai.response.id"];
      if (typeof response === "string") responses.set(response, span.trace);
    },
    score: (score) => void scores.push(score),
    other: () => void refused.push("a log record is no gen_ai.evaluation.result"),
    refused: (place, why) => void refused.push(`${place} ${why}`),
  });
  for (const score of scores) {
    const trace = score.trace ?? responses.get(score.response ?? "") ?? null;
    if (trace !== null) toldOf(score.resource).scores.push({ ...score, trace });
    else
      refused.push(`the score ${JSON.stringify(score.name)} names no trace, and no answer of this request`);
  }
  return { byProject, refused, isLogs: value["resourceLogs"] != null && value["resourceSpans"] == null };
}

function projectOf(resource: JsonObject, { projectFor }: SpanOptions): string {
  const [entity, name] = [resource["wandb.entity"], resource["wandb.project"]];
  const isNamed = typeof entity === "string" && typeof name === "string";
  return projectFor(isNamed ? `${entity}/${name}` : undefined);
}

async function storeTold(
  seam: Seam,
  project: string,
  { spans, scores }: Told,
  signal: AbortSignal | undefined,
): Promise<void> {
  const given = [
    ...spans.map(({ trace, id, parent }) => ({ trace, ids: parent === null ? [id] : [id, parent] })),
    ...scores.map(({ trace, span }) => ({ trace: trace ?? "", ids: span === null ? [] : [span] })),
  ];
  const stored = await storedTraces(seam, project, given, signal);
  const { trials } = agentTrials([...stored.spans, ...spans], [...stored.scores, ...scores]);
  const named = trialIds(trials, stored);
  const records = spans.flatMap((span) =>
    named.has(`${span.trace}/${span.id}`) ? [] : [spanRecord(project, span, null)],
  );
  // An agent that came before the one above it was a trial until now.
  const former = stored.spans.filter((one) => wasTrial(one, stored) && !named.has(`${one.trace}/${one.id}`));
  for (const span of former) records.push(spanRecord(project, span, null));
  for (const score of scores) {
    const id = `otlp:score:${hashOf({ ...score, at: String(score.at) })}`;
    records.push(scoreRecord(project, id, score.trace ?? "", score));
  }
  const rows = new Map<string, JsonObject>();
  for (const trial of trials) {
    const digest = rowDigest(trial.row);
    rows.set(digest, { project_id: project, digest, val: trial.row });
    const id = named.get(`${trial.root.trace}/${trial.root.id}`) ?? "";
    records.push(...trialRecords(project, trial, id, digest));
  }
  records.push(...(await evaluationRecords(seam, project, trials, signal)));
  if (rows.size > 0) await seam.storeRows([...rows.values()].map(writeJson), signal);
  if (records.length > 0) await seam.storeParts(records.map(writeJson), signal);
  const left = [...stored.trials.values()].filter((id) => ![...named.values()].includes(id));
  if (left.length > 0) await seam.deleteCalls(project, left, { signal });
}

const wasTrial = ({ trace, id }: Span, { trials }: StoredTraces) => trials.has(`${trace}/${id}`);

/** The ids of the trials by `trace/span` of their roots: those that are stored stay. */
function trialIds(trials: readonly AgentTrial[], { trials: known }: StoredTraces): Map<string, string> {
  const ids = new Map<string, string>();
  for (const [trace, all] of grouped(trials, ({ root }) => root.trace)) {
    const first = trialOfTrace(trace);
    const keys = all.map(({ root }) => `${trace}/${root.id}`);
    let isFree = !keys.some((key) => known.get(key) === first);
    for (const [i, key] of keys.entries()) {
      const stored = known.get(key);
      ids.set(key, stored ?? (isFree ? first : `${first}:${all[i]?.root.id ?? ""}`));
      if (stored === undefined) isFree = false;
    }
  }
  return ids;
}

/** The calls of a trial and of its root, which is the predict call. */
function trialRecords(project: string, trial: AgentTrial, id: string, digest: string): JsonObject[] {
  const { root, model, task, error, stopReason, cost, tokens } = trial;
  const evaluation = evaluationId(trial);
  const usage = Object.fromEntries(Array.from(tokens, ([of, counts]) => [of, modelCounts(counts)]));
  return [
    {
      id,
      project_id: project,
      op_name: "Evaluation.predict_and_score",
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
        example: `svc:///${project}/object/otlp:${hashOf(task).slice(0, 8)}/attr/rows/id/${digest}`,
      },
      output: {
        output: trial.output,
        scores: trial.scores,
        details: trial.details,
        ...(cost === null ? {} : { cost_usd: cost }),
      },
    },
    { ...spanRecord(project, root, id), ...(tokens.size === 0 ? {} : { summary: { usage } }) },
  ];
}

function evaluationId({ run, task, agent, model, root }: AgentTrial): string {
  const { "service.name": service = null, "service.instance.id": instance = null } = root.resource;
  return `otlp:${hashOf([run ?? [service, instance], task, agent, model])}`;
}

/** The root calls of evaluations: they begin with their first trial, and end with their last. */
async function evaluationRecords(
  { stored }: Seam,
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

function hashOf(value: Json): string {
  return createHash("sha256").update(canonicalJson(value)).digest("base64url").slice(0, 22);
}
