import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import type { ChatItem, StepItem, ToolItem } from "./items.ts";
import { tokenCounts } from "../token-counts.ts";

/** What a source says of its messages besides; each may be left out. */
interface MessageReading {
  /** What is known of the chat that an assistant's message is; null where it is none. */
  readonly chat?: (message: JsonObject, index: number) => Partial<ChatItem> | null;
  /** What the result of a tool says, given its message or block. */
  readonly result?: (result: JsonObject) => Partial<ToolItem>;
  /** Whether a call of an assistant's message is no step. */
  readonly leavesOut?: (call: JsonObject) => boolean;
}

/** A call in a message of an assistant. */
interface Called {
  readonly id: string | null;
  readonly name: string;
  readonly arguments: Json | undefined;
}

/** A message of a tool, or the block of a message that has a result. */
interface Result {
  /** How many assistants' messages stand before it. */
  readonly after: number;
  readonly value: JsonObject;
}

/** Steps of the messages of a chat, as OpenAI or Anthropic has them: a chat each assistant's, with its calls. */
export function chatItems(messages: readonly Json[], reading: MessageReading = {}): StepItem[] {
  const items: StepItem[] = [];
  const results = resultsOf(messages);
  const used = new Set<JsonObject>();
  let since: JsonObject[] = [];
  let said = 0;
  for (const [i, message] of messages.entries()) {
    if (!isJsonObject(message)) continue;
    if (message["role"] === "assistant") said++;
    const told = message["role"] === "assistant" ? chatOf(message, i, reading) : null;
    if (told === null) {
      since.push(message);
      continue;
    }
    items.push({ kind: "chat", messages: withoutResults(since, used), output: message, ...told });
    since = [];
    for (const call of callsIn(message, reading)) {
      const found = takeResult(results.get(call.id), call.id, said);
      if (found !== undefined) used.add(found);
      items.push(toolOf(call, found, reading));
    }
  }
  return items;
}

/** The results of each id, in their order. */
function resultsOf(messages: readonly Json[]): Map<string | null, Result[]> {
  const results = new Map<string | null, Result[]>();
  let after = 0;
  for (const message of messages) {
    if (!isJsonObject(message)) continue;
    if (message["role"] === "assistant") after++;
    for (const [id, value] of resultsIn(message)) {
      const alike = results.get(id);
      if (alike === undefined) results.set(id, [{ after, value }]);
      else alike.push({ after, value });
    }
  }
  for (const alike of results.values()) alike.reverse();
  return results;
}

/** The first result behind a call; one without an id is that of the message just before. */
function takeResult(waiting: Result[] | undefined, id: string | null, said: number): JsonObject | undefined {
  while ((waiting?.at(-1)?.after ?? said) < said) waiting?.pop();
  if (id === null && waiting?.at(-1)?.after !== said) return undefined;
  return waiting?.pop()?.value;
}

function chatOf(message: JsonObject, index: number, reading: MessageReading): Partial<ChatItem> | null {
  const { model, stop_reason: reason } = message;
  const told = {
    tokens: tokenCounts(message["usage"]),
    model: typeof model === "string" ? model : null,
    finishReason: typeof reason === "string" ? reason : null,
  };
  return reading.chat === undefined ? told : reading.chat(message, index);
}

function callsIn(message: JsonObject, { leavesOut = () => false }: MessageReading): Called[] {
  const listed = listOf(message["tool_calls"]).filter((call) => isJsonObject(call) && !leavesOut(call));
  const blocks = listOf(message["content"]).filter(
    (one) => textOf(one, "type")?.endsWith("tool_use") === true,
  );
  const { function_call: single } = message;
  return [
    ...listed.map((call) => calledBy(memberOf(call, "function") ?? call, textOf(call, "id"))),
    ...blocks.map((block) => calledBy(block, textOf(block, "id"))),
    ...(isJsonObject(single) ? [calledBy(single, null)] : []),
  ];
}

function calledBy(call: Json, id: string | null): Called {
  const given = memberOf(call, "arguments") ?? memberOf(call, "input");
  return { id, name: textOf(call, "name") ?? "tool", arguments: given };
}

function resultsIn(message: JsonObject): (readonly [string | null, JsonObject])[] {
  const { role } = message;
  if (role === "tool" || role === "function")
    return [[textOf(message, "tool_call_id") ?? textOf(message, "id"), message]];
  return listOf(message["content"]).flatMap((block) =>
    isJsonObject(block) && textOf(block, "type")?.endsWith("tool_result") === true
      ? [[textOf(block, "tool_use_id"), block] as const]
      : [],
  );
}

function toolOf(call: Called, found: JsonObject | undefined, reading: MessageReading): ToolItem {
  if (found === undefined) return { kind: "tool", ...call, isErrorUnknown: true };
  const content = found["content"] ?? null;
  const told = (reading.result ?? failureOf)(found);
  return { kind: "tool", ...call, result: contentText(content) ?? content, ...told };
}

/** Whether a result failed: Anthropic has a flag for it, OpenAI none. */
function failureOf(result: JsonObject): Partial<ToolItem> {
  if (result["is_error"] === true)
    return { exception: `Error: ${contentText(result["content"] ?? null) ?? ""}` };
  return { isErrorUnknown: result["role"] !== undefined && result["is_error"] !== false };
}

/** The texts of a message's content; null where it has others. */
export function contentText(content: Json): string | null {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return null;
  const texts = (content as readonly Json[]).map((part) =>
    typeof part === "string" ? part : textOf(part, "text"),
  );
  return texts.includes(null) || texts.length === 0 ? null : texts.join("\n");
}

/** The steps of a list of messages, of which an assistant said one; null of any other value. */
export function chatOfMessages(value: Json): StepItem[] | null {
  if (!Array.isArray(value) || !value.every((one) => textOf(one as Json, "role") !== null)) return null;
  const messages = value as readonly Json[];
  return messages.some((one) => memberOf(one, "role") === "assistant") ? chatItems(messages) : null;
}

/** The last text of an assistant among steps; null where there is none. */
export function lastSaid(steps: readonly StepItem[]): string | null {
  const texts = steps.flatMap((step) => {
    const content = step.kind === "chat" ? (memberOf(step.output ?? null, "content") ?? null) : null;
    const parts = listOf(content).filter((part) => typeof part === "string" || textOf(part, "text") !== null);
    return contentText(typeof content === "string" ? content : parts) ?? [];
  });
  return texts.findLast((text) => text !== "") ?? null;
}

/** The messages without the results that tools hold. */
function withoutResults(messages: readonly JsonObject[], used: ReadonlySet<JsonObject>): JsonObject[] {
  return messages.flatMap((message) => {
    if (used.has(message)) return [];
    const { content } = message;
    if (!Array.isArray(content)) return [message];
    const kept = (content as readonly Json[]).filter((part) => !(isJsonObject(part) && used.has(part)));
    if (kept.length === content.length) return [message];
    return kept.length === 0 ? [] : [{ ...message, content: kept }];
  });
}

const listOf = (value: Json | undefined): readonly Json[] =>
  Array.isArray(value) ? (value as readonly Json[]) : [];

const memberOf = (value: Json, name: string): Json | undefined =>
  isJsonObject(value) ? value[name] : undefined;

function textOf(value: Json, name: string): string | null {
  const member = memberOf(value, name);
  return typeof member === "string" && member !== "" ? member : null;
}
