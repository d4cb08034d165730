import { isJsonObject, parseJson, type Json, type JsonObject } from "../../model/json.ts";
import { eventData } from "./event-splitter.ts";

interface Choice {
  readonly index: Json;
  readonly message: { [name: string]: Json };
  readonly toolCalls: { [name: string]: Json }[];
  finish_reason: Json;
}

/** Assembles the whole reply from a stream of chunks: texts are joined and tool calls are put together. */
export function assembleStream(events: string): JsonObject {
  const head: { [name: string]: Json } = {};
  const choices = new Map<Json, Choice>();
  for (const event of events.split(/\r?\n\r?\n/)) {
    const data = eventData(event);
    if (data === undefined || data.startsWith("[DONE]")) continue;
    const chunk = parseJson(data);
    if (!isJsonObject(chunk)) continue;
    const { choices: deltas, ...rest } = chunk;
    for (const [name, value] of Object.entries(rest)) if (value !== null) head[name] = value;
    if (Array.isArray(deltas)) for (const delta of deltas) addDelta(choices, delta);
  }
  const whole = [...choices.values()].map(({ index, message, toolCalls, finish_reason }) => ({
    index,
    message: toolCalls.length === 0 ? message : { ...message, tool_calls: toolCalls },
    finish_reason,
  }));
  return { ...head, object: "chat.completion", choices: whole };
}

function addDelta(choices: Map<Json, Choice>, choice: Json): void {
  if (!isJsonObject(choice)) return;
  const index = choice["index"] ?? 0;
  const whole = choices.get(index) ?? { index, message: {}, toolCalls: [], finish_reason: null };
  choices.set(index, whole);
  whole.finish_reason = choice["finish_reason"] ?? whole.finish_reason;
  if (!isJsonObject(choice["delta"])) return;
  const { tool_calls: calls, ...texts } = choice["delta"];
  addTexts(whole.message, texts);
  for (const call of Array.isArray(calls) ? calls : []) addToolCall(whole.toolCalls, call);
}

/** Appends texts, except for a role, which chunks repeat. */
function addTexts(target: { [name: string]: Json }, piece: JsonObject): void {
  for (const [name, value] of Object.entries(piece)) {
    const before = target[name];
    if (value === null && before !== undefined) continue;
    const grows = typeof value === "string" && typeof before === "string" && name !== "role";
    target[name] = grows ? before + value : value;
  }
}

function addToolCall(calls: { [name: string]: Json }[], piece: Json): void {
  if (!isJsonObject(piece)) return;
  const { index, function: own, ...rest } = piece;
  const at =
    typeof index === "number" && Number.isInteger(index) && index >= 0 && index < 4096 ? index : calls.length;
  const call = (calls[at] ??= {});
  Object.assign(call, rest);
  const known = isJsonObject(call["function"]) ? { ...call["function"] } : {};
  call["function"] = known;
  if (isJsonObject(own)) addTexts(known, own);
}
