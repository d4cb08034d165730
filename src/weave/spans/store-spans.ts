import { z } from "zod";
import { IngestError } from "../../errors.ts";
import { rowDigest } from "../../model/digest.ts";
import { writeJson, type JsonObject } from "../../model/json.ts";
import { agentTrials } from "../../model/otlp/agent-trials.ts";
import { readExport, type Span, type ToldScore } from "../../model/otlp/export.ts";
import { authorize, readRequest, schemaFault } from "../request/read-request.ts";
import type { WeaveCaller, WeaveSeam } from "../request/seam.ts";
import { scoreRecord, spanRecord, storedTraces, type StoredTraces } from "./stored-traces.ts";
import {
  emptied,
  rootRecords,
  shortHash,
  idOfTrial,
  idOfRoot,
  recordsOfTrial,
  withdrawn,
} from "./trial-records.ts";

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

type Seam = Pick<WeaveSeam, "store" | "storeParts" | "storeRows" | "stored">;

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
        for (const [project, told] of byProject)
          refused.push(...(await storeTold(seam, project, told, options)));
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
  const [other] = Object.keys(value);
  if (value["resourceSpans"] == null && value["resourceLogs"] == null && other !== undefined)
    refused.push(`the body has ${JSON.stringify(other)}, and neither resourceSpans nor resourceLogs`);
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

/** Stores what is told; answers why spans of it are refused. */
async function storeTold(
  seam: Seam,
  project: string,
  { spans: sent, scores }: Told,
  caller: WeaveCaller,
): Promise<string[]> {
  const { signal } = caller;
  const given = [
    ...sent.map(({ trace, id, parent }) => ({ trace, ids: parent === null ? [id] : [id, parent] })),
    ...scores.map(({ trace, span }) => ({ trace: trace ?? "", ids: span === null ? [] : [span] })),
  ];
  const stored = await storedTraces(seam, project, given, signal);
  const { spans, refused } = ownSpans(sent, stored);
  const { trials } = agentTrials([...stored.spans, ...spans], [...stored.scores, ...scores]);
  const ids = new Set(trials.map(idOfTrial));
  // An agent that came before the one above it was a trial until now.
  const left = [...stored.trials].filter(([id]) => !ids.has(id));
  const former = stored.spans.filter((span) => !ids.has(idOfRoot(span)) && stored.trials.has(idOfRoot(span)));
  const told = [...spans, ...former];
  const records = told.flatMap((span) => (ids.has(idOfRoot(span)) ? [] : [spanRecord(project, span, null)]));
  for (const score of scores) {
    const id = `otlp:score:${shortHash({ ...score, at: String(score.at) })}`;
    records.push(scoreRecord(project, id, score.trace ?? "", score));
  }
  const rows = new Map<string, JsonObject>();
  for (const trial of trials) {
    const digest = rowDigest(trial.row);
    rows.set(digest, { project_id: project, digest, val: trial.row });
    records.push(...recordsOfTrial(project, trial, digest));
  }
  records.push(
    ...(await rootRecords(seam, project, trials, signal)),
    ...left.map(([, { record }]) => withdrawn(record)),
  );
  records.push(...(await emptied(seam, project, stored.trials, trials, signal)));
  if (rows.size > 0) await seam.storeRows([...rows.values()].map(writeJson), signal);
  if (records.length > 0) await storeRecords(seam, records, caller);
  return refused;
}

/** The spans whose ids no call of another trace has, and what is said of the others. */
function ownSpans(sent: readonly Span[], { taken }: StoredTraces) {
  const refused: string[] = [];
  const traces = new Map<string, string>();
  const spans = sent.filter(({ trace, id }) => {
    const first = traces.get(id) ?? trace;
    traces.set(id, first);
    if (first === trace && !taken.has(id)) return true;
    refused.push(`the span ${id} of the trace ${trace} has the id of a call of another trace`);
    return false;
  });
  return { spans, refused };
}

async function storeRecords(
  { storeParts }: Seam,
  records: readonly JsonObject[],
  { userId, signal }: WeaveCaller,
): Promise<void> {
  try {
    const texts = records.map((record) => writeJson({ ...record, wb_user_id: userId }));
    await storeParts(texts, signal);
  } catch (error) {
    if (!(error instanceof IngestError)) throw error;
    const { id = null } = records[error.position - 1] ?? {};
    throw schemaFault([], `the span ${JSON.stringify(id)} cannot be stored: ${error.message}`);
  }
}
