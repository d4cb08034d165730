import { isJsonObject, parseJson, type Json, type JsonObject } from "../../model/json.ts";
import { isLastEvent } from "./completion-progress.ts";
import { eventData } from "./event-splitter.ts";

type Members = { [name: string]: Json };

interface Choice {
  readonly index: Json;
  /** What its pieces add up to. */
  readonly message: Members;
  readonly toolCalls: Members[];
  finish_reason: Json;
}

/** Assembles a chat completion from its chunks: texts are joined and tool calls are put together. */
export function assembleChat(events: string): JsonObject {
  const { head, choices } = joinChunks(events, (choice, whole) => {
    if (!isJsonObject(choice["delta"])) return;
    const { tool_calls: calls, ...texts } = choice["delta"];
    addTexts(whole.message, texts);
    for (const call of Array.isArray(calls) ? calls : []) addToolCall(whole.toolCalls, call);
  });
  const whole = choices.map(({ index, message, toolCalls, finish_reason }) => ({
    index,
    message: toolCalls.length === 0 ? message : { ...message, tool_calls: toolCalls },
    finish_reason,
  }));
  return { ...head, object: "chat.completion", choices: whole };
}

/** Assembles a completion of a prompt from its chunks: the texts of each choice are joined. */
export function assembleTexts(events: string): JsonObject {
  const { head, choices } = joinChunks(events, ({ text = "" }, whole) => addTexts(whole.message, { text }));
  const whole = choices.map(({ index, message, finish_reason }) => ({ index, ...message, finish_reason }));
  return { ...head, object: "text_completion", choices: whole };
}

/** The response that the last event of a stream holds. */
export function assembleResponse(events: string): JsonObject {
  for (const event of objectsOf(events))
    if (isLastEvent(event["type"]) && isJsonObject(event["response"])) return event["response"];
  return {};
}

function joinChunks(events: string, add: (choice: JsonObject, whole: Choice) => void) {
  const head: Members = {};
  const choices = new Map<Json, Choice>();
  for (const { choices: pieces, ...rest } of objectsOf(events)) {
    for (const [name, value] of Object.entries(rest)) if (value !== null) head[name] = value;
    for (const choice of Array.isArray(pieces) ? pieces : []) {
      if (!isJsonObject(choice)) continue;
      const index = choice["index"] ?? 0;
      const whole = choices.get(index) ?? { index, message: {}, toolCalls: [], finish_reason: null };
      choices.set(index, whole);
      whole.finish_reason = choice["finish_reason"] ?? whole.finish_reason;
      add(choice, whole);
    }
  }
  return { head, choices: [...choices.values()] };
}

function* objectsOf(events: string): Generator<JsonObject, void, undefined> {
  for (const event of events.split(/\r?\n\r?\n/)) {
    const data = eventData(event);
    if (data === undefined || data.startsWith("[DONE]")) continue;
    const value = parseJson(data);
    if (isJsonObject(value)) yield value;
  }
}

/** Appends texts, except for a role, which chunks repeat. */
function addTexts(target: Members, piece: JsonObject): void {
  for (const [name, value] of Object.entries(piece)) {
    const before = target[name];
    if (value === null && before !== undefined) continue;
    const grows = typeof value === "string" && typeof before === "string" && name !== "role";
    target[name] = grows ? before + value : value;
  }
}

function addToolCall(calls: Members[], piece: Json): void {
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
