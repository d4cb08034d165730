import { isJsonObject, type Json, type JsonObject } from "../../../model/json.ts";
import type { ChatItem, FrameItem, StepItem } from "../../../model/step-items/items.ts";
import { listAt, numberAt, objectAt, textAt } from "../../read/members.ts";
import { microsecondsOf, readTime } from "../../translate/times.ts";
import type { TokenSums } from "../../../model/token-counts.ts";

/** What the events of a sample say. */
interface SampleEvents {
  readonly steps: readonly StepItem[];
  /** Why the evaluated model stopped last. */
  readonly stopReason: string | null;
}

interface Reading {
  readonly sample: JsonObject;
  /** Frames of agents by their spans; null for spans of other kinds. */
  readonly spans: Map<string, { readonly parent: string | null; readonly items: StepItem[] | null }>;
  readonly top: StepItem[];
  /** Ids of the calls that tools were. */
  readonly tools: ReadonlySet<string>;
}

/** Reads the events of a sample; `model` is the one that is evaluated. */
export function readEvents(sample: JsonObject, model: string): SampleEvents {
  const told = listAt(sample, "events");
  const events = (told.length > 0 ? told : listAt(sample, "transcript", "events")).filter(isJsonObject);
  const tools = new Set(toolsIn(events).map((event) => textAt(event, "id") ?? ""));
  const reading: Reading = { sample, spans: new Map(), top: [], tools };
  addEvents(events, reading);
  const models = events.filter(({ event, pending }) => event === "model" && pending !== true);
  const own = models.filter((event) => textAt(event, "role") === null);
  const last = own.findLast((event) => event["model"] === model) ?? own.at(-1);
  return { steps: reading.top, stopReason: last === undefined ? null : stopOf(last) };
}

function toolsIn(events: readonly JsonObject[]): JsonObject[] {
  return events.flatMap((event) =>
    event["event"] === "tool" ? [event, ...toolsIn(listAt(event, "events").filter(isJsonObject))] : [],
  );
}

function addEvents(events: readonly JsonObject[], reading: Reading): void {
  for (const event of events) {
    const { event: kind, pending } = event;
    const items = itemsAround(textAt(event, kind === "span_begin" ? "parent_id" : "span_id"), reading);
    if (kind === "span_begin") beginSpan(event, items, reading);
    if (pending === true) continue;
    if (kind === "model") items.push(chatOf(event, reading));
    if (kind !== "tool") continue;
    items.push(toolOf(event, reading));
    addEvents(listAt(event, "events").filter(isJsonObject), reading);
  }
}

/** The items of the nearest agent around a span. */
function itemsAround(span: string | null, { spans, top }: Reading): StepItem[] {
  const seen = new Set<string>();
  for (let at = span; at !== null && !seen.has(at); at = spans.get(at)?.parent ?? null) {
    seen.add(at);
    const items = spans.get(at)?.items ?? null;
    if (items !== null) return items;
  }
  return top;
}

function beginSpan(event: JsonObject, around: StepItem[], { spans }: Reading): void {
  const id = textAt(event, "id") ?? textAt(event, "span_id");
  if (id === null) return;
  const isAgent = textAt(event, "type") === "agent";
  const items: StepItem[] | null = isAgent ? [] : null;
  spans.set(id, { parent: textAt(event, "parent_id"), items });
  if (items === null) return;
  const frame: FrameItem = {
    kind: "frame",
    name: textAt(event, "name") ?? "agent",
    items,
    startedAt: readTime(event["timestamp"]),
  };
  around.push(frame);
}

/** When an event began, and how long it worked, or when it was complete. */
function timesOf(event: JsonObject) {
  const startedAt = readTime(event["timestamp"]);
  const seconds = numberAt(event, "working_time");
  const worked =
    startedAt === null || seconds === null ? null : startedAt + microsecondsOf(Math.max(0, seconds));
  return { startedAt, endedAt: worked ?? readTime(event["completed"]) };
}

function chatOf(event: JsonObject, reading: Reading): ChatItem {
  const output = objectAt(event, "output");
  const usage = objectAt(output, "usage");
  const isCached = textAt(event, "cache") === "read";
  const message = objectAt(listAt(output, "choices")[0])["message"] ?? null;
  return {
    kind: "chat",
    model: textAt(event, "model"),
    messages: messagesSince(event, reading),
    output: resolved(message, reading.sample),
    tokens: isCached ? null : tokensOf(usage),
    cost: isCached ? null : (numberAt(usage, "total_cost") ?? numberAt(event, "total_cost")),
    finishReason: stopOf(event),
    errorType: (event["error"] ?? null) === null ? null : "error",
    ...timesOf(event),
  };
}

function stopOf(event: JsonObject): string | null {
  return textAt(objectAt(listAt(event, "output", "choices")[0]), "stop_reason");
}

const INPUT = ["input_tokens", "input_tokens_cache_read", "input_tokens_cache_write"];

function tokensOf(usage: JsonObject): TokenSums | null {
  const parts = INPUT.map((name) => numberAt(usage, name)).filter((count) => count !== null);
  const output = numberAt(usage, "output_tokens");
  if (parts.length === 0 && output === null) return null;
  const input = parts.length === 0 ? null : parts.reduce((sum, count) => sum + count, 0);
  return { input, output, cached: numberAt(usage, "input_tokens_cache_read") };
}

/** What was said since the answer before, without results that tools hold. */
function messagesSince(event: JsonObject, { sample, tools }: Reading): Json[] {
  const input = inputOf(event, sample);
  const last = input.findLastIndex((message) => textAt(message, "role") === "assistant");
  return input
    .slice(last + 1)
    .filter((message) => !tools.has(textAt(message, "tool_call_id") ?? "\0"))
    .map((message) => resolved(message, sample));
}

/** The messages of an event: its own, or those that it refers to. */
function inputOf(event: JsonObject, sample: JsonObject): readonly Json[] {
  const own = listAt(event, "input");
  const refs = listAt(event, "input_refs");
  if (own.length > 0 || refs.length === 0) return own;
  const messages = listAt(sample, "events_data", "messages");
  return refs.flatMap((pair) => {
    const [start, end] = Array.isArray(pair) ? (pair as readonly Json[]) : [];
    return typeof start === "number" && typeof end === "number" ? messages.slice(start, end) : [];
  });
}

function toolOf(event: JsonObject, { sample }: Reading): StepItem {
  const failed = event["failed"] === true ? "failed" : null;
  return {
    kind: "tool",
    name: textAt(event, "function") ?? "tool",
    id: textAt(event, "id"),
    arguments: resolved(event["arguments"] ?? null, sample),
    result: resolved(event["result"] ?? null, sample),
    errorType: isJsonObject(event["error"]) ? (textAt(event, "error", "type") ?? "error") : failed,
    ...timesOf(event),
  };
}

const ATTACHMENT = "attachment://";

/** A value with the attachments that it names; what is not there stays as text. */
function resolved(value: Json, sample: JsonObject): Json {
  if (typeof value === "string")
    return value.startsWith(ATTACHMENT)
      ? (objectAt(sample, "attachments")[value.slice(ATTACHMENT.length)] ?? value)
      : value;
  if (Array.isArray(value)) return value.map((item: Json) => resolved(item, sample));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, resolved(one, sample)]));
}
