import { parseJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Span, ToldScore } from "../../model/otlp/export.ts";
import { spanCall } from "../../model/otlp/span-call.ts";
import { formatTimestamp, parseTimestamp } from "../../model/timestamp.ts";
import { wholeTexts } from "../../texts/whole-texts.ts";
import { relationOfCalls } from "../calls/call-relation.ts";
import type { WeaveSeam } from "../request/seam.ts";

/** The id of the first trial of a trace; another one has that of its span behind it. */
export const trialOfTrace = (trace: string) => `otlp:${trace}`;

const SCORE_OP = "gen_ai.evaluation.result";

/** What is stored of some traces. */
export interface StoredTraces {
  readonly spans: readonly Span[];
  readonly scores: readonly ToldScore[];
  /** The trials of roots, by `trace/span`. */
  readonly trials: ReadonlyMap<string, string>;
}

/** The record of a span, below its parent or its trial. */
export function spanRecord(project: string, span: Span, trial: string | null): JsonObject {
  const { parent, name, resource, failed, message } = span;
  const above = trial ?? parent;
  return {
    ...spanCall(span),
    project_id: project,
    ...(above === null ? {} : { parent_id: above }),
    inputs: {},
    otel_dump: { name, resource, failed, message, parent_span_id: parent },
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
    parent_id: trialOfTrace(trace),
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
  let next = [...new Set(given.flatMap(({ trace, ids }) => [trialOfTrace(trace), ...ids]))];
  while (next.length > 0) {
    for (const id of next) asked.add(id);
    const found = new Set([
      ...(await reader.find(project, { ids: next }, signal)),
      ...(await reader.find(project, { parents: next }, signal)),
    ]);
    const records = [...(await reader.records(project, [...found], signal)).values()];
    const near = new Set<string>();
    for (const text of await store.read((session) => wholeTexts(session, records), signal)) {
      const call = parseJson(text) as JsonObject;
      if (!traces.has(traceOf(call))) continue;
      calls.set(textAt(call, "id") ?? "", call);
      for (const id of neighboursOf(call)) if (!asked.has(id)) near.add(id);
    }
    next = [...near];
  }
  const spans = [...calls.values()].flatMap(spanOf);
  return {
    spans: spans.map(({ span }) => span),
    scores: [...calls.values()].flatMap(scoreOf),
    trials: new Map(
      spans.flatMap(({ span, above }) =>
        above?.startsWith(trialOfTrace(span.trace)) === true
          ? [[`${span.trace}/${span.id}`, above] as const]
          : [],
      ),
    ),
  };
}

/** The trace of a call: a trial tells that of its root. */
function traceOf(call: JsonObject): string {
  const sample = objectAt(objectAt(objectAt(call, "attributes"), "evalcube"), "sample");
  return textAt(sample, "trace_id") ?? textAt(call, "trace_id") ?? "";
}

function neighboursOf(call: JsonObject): string[] {
  const sample = objectAt(objectAt(objectAt(call, "attributes"), "evalcube"), "sample");
  const ids = [textAt(call, "id"), textAt(objectAt(call, "otel_dump"), "parent_span_id")];
  return [...ids, textAt(sample, "span_id")].filter((id) => id !== null);
}

function spanOf(call: JsonObject): { readonly span: Span; readonly above: string | null }[] {
  const dump = objectAt(call, "otel_dump");
  const startedAt = parseTimestamp(textAt(call, "started_at") ?? "");
  if (typeof dump["failed"] !== "boolean" || startedAt === null) return [];
  const span = {
    trace: textAt(call, "trace_id") ?? "",
    id: textAt(call, "id") ?? "",
    parent: textAt(dump, "parent_span_id"),
    name: textAt(dump, "name") ?? "span",
    startedAt,
    endedAt: parseTimestamp(textAt(call, "ended_at") ?? ""),
    attributes: objectAt(call, "attributes"),
    resource: objectAt(dump, "resource"),
    failed: dump["failed"],
    message: textAt(dump, "message"),
  };
  return [{ span, above: textAt(call, "parent_id") }];
}

function scoreOf(call: JsonObject): ToldScore[] {
  if (call["op_name"] !== SCORE_OP) return [];
  const { otel_dump: dump = null } = call;
  if (!isJsonObject(dump)) return [];
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
