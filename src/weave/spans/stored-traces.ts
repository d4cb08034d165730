import { parseJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { restOf, type Span, type ToldScore } from "../../model/otlp/export.ts";
import { spanCall } from "../../model/otlp/span-call.ts";
import { formatTimestamp, parseTimestamp } from "../../model/timestamp.ts";
import { wholeTexts } from "../../texts/whole-texts.ts";
import { relationOfCalls } from "../calls/call-relation.ts";
import type { WeaveSeam } from "../request/seam.ts";

/** What scores of a trace wait below; the id of a trial has that of its span behind it. */
export const idOfTrace = (trace: string) => `otlp:${trace}`;

export const TRIAL_OP = "Evaluation.predict_and_score";
const SCORE_OP = "gen_ai.evaluation.result";

/** What is stored of some traces. */
export interface StoredTraces {
  readonly spans: readonly Span[];
  readonly scores: readonly ToldScore[];
  /** The trials by id. */
  readonly trials: ReadonlyMap<string, { readonly evaluation: string; readonly record: JsonObject }>;
  /** Ids of spans that calls of other traces have. */
  readonly taken: ReadonlySet<string>;
}

/** The record of a span, below its parent or its trial. */
export function spanRecord(project: string, span: Span, trial: string | null): JsonObject {
  const { parent, name, resource, failed, message, rest } = span;
  const above = trial ?? parent;
  return {
    ...spanCall(span),
    project_id: project,
    ...(above === null ? {} : { parent_id: above }),
    inputs: {},
    otel_dump: { ...rest, name, resource, failed, message, parent_span_id: parent },
  };
}

/** The record of a score, which waits below the trial of its trace. */
export function scoreRecord(project: string, id: string, trace: string, score: ToldScore): JsonObject {
  const { at, ...told } = score;
  const time = formatTimestamp(at);
  return {
    id,
    project_id: project,
    trace_id: trace,
    parent_id: idOfTrace(trace),
    op_name: SCORE_OP,
    started_at: time,
    ended_at: time,
    attributes: {},
    inputs: {},
    output: score.value,
    otel_dump: { ...told },
  };
}

/** Reads what is stored of the traces of these spans and scores. */
export async function storedTraces(
  { store }: Pick<WeaveSeam, "store">,
  project: string,
  given: readonly { readonly trace: string; readonly ids: readonly string[] }[],
  signal: AbortSignal | undefined,
): Promise<StoredTraces> {
  const reader = store.calls ?? relationOfCalls(store);
  const traces = new Set(given.map(({ trace }) => trace));
  const asked = new Set<string>();
  const calls = new Map<string, JsonObject>();
  const taken = new Set<string>();
  let next = [...new Set(given.flatMap(({ trace, ids }) => [idOfTrace(trace), ...ids]))];
  while (next.length > 0) {
    for (const id of next) asked.add(id);
    const found = await Promise.all(
      [{ ids: next }, { parents: next }].map((selection) => reader.find(project, selection, signal)),
    );
    const keys = [...new Set(found.flat())];
    const records = [...(await reader.records(project, keys, signal)).values()];
    const near = new Set<string>();
    for (const text of await store.read((session) => wholeTexts(session, records), signal)) {
      const call = parseJson(text) as JsonObject;
      if (!traces.has(traceOf(call))) {
        taken.add(textAt(call, "id") ?? "");
        continue;
      }
      calls.set(textAt(call, "id") ?? "", call);
      for (const id of neighboursOf(call)) if (!asked.has(id)) near.add(id);
    }
    next = [...near];
  }
  return {
    spans: [...calls.values()].flatMap(spanOf),
    scores: [...calls.values()].flatMap(scoreOf),
    trials: new Map([...calls].flatMap(trialOf)),
    taken,
  };
}

function trialOf([id, record]: readonly [string, JsonObject]) {
  const evaluation = textAt(record, "parent_id") ?? "";
  return record["op_name"] === TRIAL_OP ? [[id, { evaluation, record }] as const] : [];
}

/** The trace of a call: a trial tells that of its root. */
function traceOf(call: JsonObject): string {
  const sample = objectAt(objectAt(objectAt(call, "attributes"), "evalcube"), "sample");
  return textAt(sample, "trace_id") ?? textAt(call, "trace_id") ?? "";
}

function neighboursOf(call: JsonObject): string[] {
  const sample = objectAt(objectAt(objectAt(call, "attributes"), "evalcube"), "sample");
  const above = textAt(call, "parent_id");
  const ids = [textAt(call, "id"), textAt(objectAt(call, "otel_dump"), "parent_span_id")];
  // What stands above a trial has those of other traces below it.
  if (above?.startsWith(idOfTrace(traceOf(call))) === true) ids.push(above);
  return [...ids, textAt(sample, "span_id")].filter((id) => id !== null);
}

function spanOf(call: JsonObject): Span[] {
  const dump = objectAt(call, "otel_dump");
  const { failed } = dump;
  const startedAt = parseTimestamp(textAt(call, "started_at") ?? "");
  if (typeof failed !== "boolean" || startedAt === null) return [];
  return [
    {
      trace: textAt(call, "trace_id") ?? "",
      id: textAt(call, "id") ?? "",
      parent: textAt(dump, "parent_span_id"),
      name: textAt(dump, "name") ?? "span",
      startedAt,
      endedAt: parseTimestamp(textAt(call, "ended_at") ?? ""),
      attributes: objectAt(call, "attributes"),
      resource: objectAt(dump, "resource"),
      failed,
      message: textAt(dump, "message"),
      rest: restOf(dump),
    },
  ];
}

function scoreOf(call: JsonObject): ToldScore[] {
  if (call["op_name"] !== SCORE_OP) return [];
  const { otel_dump: dump = null } = call;
  // A span may have that name.
  if (!isJsonObject(dump) || dump["failed"] !== undefined) return [];
  const name = textAt(dump, "name");
  if (name === null) return [];
  return [
    {
      trace: textAt(call, "trace_id"),
      span: textAt(dump, "span"),
      response: textAt(dump, "response"),
      name,
      value: dump["value"] ?? null,
      details: objectAt(dump, "details"),
      at: parseTimestamp(textAt(call, "started_at") ?? "") ?? 0n,
      resource: objectAt(dump, "resource"),
    },
  ];
}

function objectAt(value: JsonObject, name: string): JsonObject {
  const member: Json = value[name] ?? null;
  return isJsonObject(member) ? member : {};
}

function textAt(value: JsonObject, name: string): string | null {
  const member = value[name];
  return typeof member === "string" && member !== "" ? member : null;
}
