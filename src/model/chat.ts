import { isJsonObject, parseJson, type Json, type JsonObject } from "./json.ts";

/** A conversation with a model, or the answer of a model's service, as turns. */
export interface Chat {
  /** Without those of which every part stands beside a call. */
  readonly turns: readonly Turn[];
  /** Messages as they are stored, results of tools included. */
  readonly messages: number;
  readonly calls: number;
  /** The last text of the assistant; null where it said nothing. */
  readonly last: string | null;
  /** Members beside the messages that are no more than data; null where there are none. */
  readonly rest: JsonObject | null;
}

/** What one said. */
interface Turn {
  readonly role: string;
  readonly parts: readonly TurnPart[];
}

/** A text, the call of a tool with what it gave back, or what is no text. */
export type TurnPart =
  | { readonly kind: "text"; readonly text: string }
  | {
      readonly kind: "call";
      readonly name: string;
      readonly arguments: Json;
      readonly results: readonly Json[];
    }
  | { readonly kind: "data"; readonly value: Json };

type Call = Extract<TurnPart, { kind: "call" }> & { readonly id: Json | undefined; readonly results: Json[] };
type Result = { readonly kind: "result"; readonly id: Json | undefined; readonly value: Json };
type ReadPart = Exclude<TurnPart, { kind: "call" }> | Call | Result;

interface ReadTurn {
  readonly role: string;
  readonly parts: readonly ReadPart[];
  readonly isMessage: boolean;
}

/**
 * The chat that a value is: a list of messages, an object with `messages`, an answer of OpenAI (`choices`, `output`) or
 * a message of Anthropic. Null where some of it has another shape.
 */
export function chatOf(value: Json): Chat | null {
  const listed = listIn(value);
  if (listed === null || listed.items.length === 0) return null;
  const read = listed.items.map(readTurn);
  const turns = read.filter((turn) => turn !== null);
  const messages = turns.filter(({ isMessage }) => isMessage).length;
  const calls = turns.flatMap(({ parts }) => parts).filter(({ kind }) => kind === "call").length;
  if (turns.length < read.length || messages + calls === 0) return null;
  const paired = withResults(turns);
  return {
    turns: paired,
    messages,
    calls,
    last: lastText(paired),
    rest: listed.rest,
  };
}

/** The object or list that a text is the JSON of; else the text. */
export function structureIn(text: string): Json {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

interface Listed {
  readonly items: readonly Json[];
  readonly rest: JsonObject | null;
}

function listIn(value: Json): Listed | null {
  if (Array.isArray(value)) return { items: value as readonly Json[], rest: null };
  if (!isJsonObject(value)) return null;
  if (member(value, "role") !== undefined) return { items: [value], rest: null };
  for (const name of ["messages", "choices", "output"]) {
    const list = member(value, name);
    if (!Array.isArray(list)) continue;
    const rest = dataOf(value, new Set([name]));
    return name === "choices"
      ? choice(list as readonly Json[], rest)
      : { items: list as readonly Json[], rest };
  }
  return null;
}

/** An answer in several versions is shown as data, so that none is hidden. */
function choice(choices: readonly Json[], rest: JsonObject | null): Listed | null {
  const [first] = choices;
  const message = choices.length === 1 && isJsonObject(first) ? member(first, "message") : undefined;
  return message === undefined ? null : { items: [message], rest };
}

const ROLES = new Set(["system", "developer", "user", "assistant", "tool", "function"]);

function readTurn(item: Json): ReadTurn | null {
  if (!isJsonObject(item)) return null;
  const role = member(item, "role");
  if (role === undefined) {
    const parts = readItem(item);
    return parts === null ? null : { role: "assistant", parts, isMessage: false };
  }
  if (typeof role !== "string" || !ROLES.has(role)) return null;
  const parts = readMessage(item, role);
  return parts === null ? null : { role, parts: joined(parts), isMessage: true };
}

const READ = new Set(["role", "content", "tool_calls", "tool_call_id", "function_call", "refusal"]);

function readMessage(message: JsonObject, role: string): ReadPart[] | null {
  const refusal = member(message, "refusal");
  const calls = [
    ...listOf(member(message, "tool_calls")).map(readToolCall),
    ...listOf(member(message, "function_call") ?? []).map((call) => readFunction(call, undefined)),
  ];
  const said = typeof refusal === "string" ? [textPart(refusal)] : [];
  const content = readContent(member(message, "content"), calls.length + said.length > 0);
  const data = dataOf(message, READ);
  const parts = [...(content ?? [null]), ...said, ...calls, ...(data === null ? [] : [dataPart(data)])];
  const known = parts.filter((part) => part !== null);
  if (known.length < parts.length) return null;
  const id = member(message, "tool_call_id");
  if (role !== "tool" || id === undefined) return known;
  return [{ kind: "result", id, value: plainContent(member(message, "content")) }];
}

/** Null where it has another shape; nothing may be said where there is something else. */
function readContent(content: Json | undefined, mayBeNothing: boolean): (ReadPart | null)[] | null {
  if (typeof content === "string") return content === "" ? [] : [textPart(content)];
  if (Array.isArray(content)) return (content as readonly Json[]).map(readBlock);
  return content == null && mayBeNothing ? [] : null;
}

const MEDIA =
  /^(?:(?:input_)?(?:image|audio|file|video)(?:_url)?|document|redacted_thinking|thinking|reasoning)$/;

function readBlock(block: Json): ReadPart | null {
  if (!isJsonObject(block)) return null;
  const type = member(block, "type");
  if (typeof type !== "string") return null;
  if (/^(?:(?:input_|output_)?text|refusal)$/.test(type)) {
    const said = member(block, type === "refusal" ? "refusal" : "text");
    return typeof said === "string" ? textPart(said) : null;
  }
  if (/^(?:server_)?tool_use$/.test(type))
    return callPart(member(block, "name"), member(block, "input"), member(block, "id"));
  if (type.endsWith("tool_result"))
    return {
      kind: "result",
      id: member(block, "tool_use_id"),
      value: plainContent(member(block, "content")),
    };
  return MEDIA.test(type) ? dataPart(block) : null;
}

const OWN_TOOL =
  /^(?:web_search|file_search|computer|code_interpreter|image_generation|local_shell|shell|apply_patch|mcp)_call$/;

/** What stands between the messages of an answer: calls, what tools gave back, reasoning. */
function readItem(item: JsonObject): ReadPart[] | null {
  const type = member(item, "type");
  const id = member(item, "call_id");
  if (typeof type !== "string") return null;
  if (type === "function_call" || type === "custom_tool_call") {
    const called = callPart(member(item, "name"), member(item, "arguments") ?? member(item, "input"), id);
    return called === null ? null : [called];
  }
  if (type.endsWith("_call_output"))
    return [{ kind: "result", id, value: plainContent(member(item, "output")) }];
  if (type === "reasoning") return [dataPart(item)];
  if (!OWN_TOOL.test(type)) return null;
  const called = callPart(type.slice(0, -"_call".length), dataOf(item, new Set()) ?? {}, member(item, "id"));
  return called === null ? null : [called];
}

function readToolCall(item: Json): Call | null {
  if (!isJsonObject(item)) return null;
  const id = member(item, "id");
  return readFunction(member(item, "function") ?? member(item, "custom"), id);
}

function readFunction(called: Json | undefined, id: Json | undefined): Call | null {
  if (!isJsonObject(called)) return null;
  return callPart(member(called, "name"), member(called, "arguments") ?? member(called, "input"), id);
}

function callPart(name: Json | undefined, given: Json | undefined, id: Json | undefined): Call | null {
  if (typeof name !== "string") return null;
  return {
    kind: "call",
    name,
    arguments: typeof given === "string" ? structureIn(given) : (given ?? {}),
    id,
    results: [],
  };
}

/** Results beside the calls that they answer; those of no call stay where they are. */
function withResults(turns: readonly ReadTurn[]): Turn[] {
  const calls = new Map<Json, Call>();
  const kept: Turn[] = [];
  for (const { role, parts } of turns) {
    const own: TurnPart[] = [];
    for (const part of parts) {
      if (part.kind === "call" && part.id !== undefined) calls.set(part.id, part);
      const answered = part.kind === "result" ? calls.get(part.id ?? null) : undefined;
      if (part.kind !== "result") own.push(part);
      else if (answered === undefined) own.push(dataPart(part.value));
      else answered.results.push(part.value);
    }
    if (own.length > 0 || parts.length === 0) kept.push({ role, parts: own });
  }
  return kept;
}

function lastText(turns: readonly Turn[]): string | null {
  const texts = turns.flatMap(({ role, parts }) =>
    role === "assistant" ? parts.flatMap((part) => (part.kind === "text" ? part.text : [])) : [],
  );
  return texts.findLast((one) => one.trim() !== "") ?? null;
}

/** Pieces of one text as the text. */
function joined(parts: readonly ReadPart[]): ReadPart[] {
  const all: ReadPart[] = [];
  for (const part of parts) {
    const before = all.at(-1);
    if (part.kind === "text" && before?.kind === "text") all.splice(-1, 1, textPart(before.text + part.text));
    else all.push(part);
  }
  return all;
}

/** Blocks of nothing but text as the text. */
function plainContent(content: Json | undefined): Json {
  if (content === undefined) return null;
  const blocks = Array.isArray(content) ? (content as readonly Json[]).map(readBlock) : [];
  const texts = blocks.flatMap((block) => (block?.kind === "text" ? block.text : []));
  return blocks.length > 0 && texts.length === blocks.length ? texts.join("") : content;
}

/** Members that say how an answer was made, and nothing of what it says. */
const ABOUT = new Set(
  (
    "id object type status model created created_at completed_at usage index stop_reason stop_sequence stop_details finish_reason " +
    "logprobs system_fingerprint service_tier annotations container phase"
  ).split(" "),
);

/**
 * The members of an object that nothing else shows; null where there are none. Of an answer of OpenAI, whose other
 * members are settings, none.
 */
function dataOf(object: JsonObject, shown: ReadonlySet<string>): JsonObject | null {
  const kind = member(object, "object");
  if (kind === "response" || kind === "chat.completion") return null;
  const members = Object.entries(object).filter(
    ([name, value]) => !shown.has(name) && !ABOUT.has(name) && value !== null && !isEmpty(value),
  );
  return members.length === 0 ? null : Object.fromEntries(members);
}

function isEmpty(value: Json): boolean {
  return Array.isArray(value) && value.length === 0;
}

function listOf(value: Json | undefined): readonly Json[] {
  return value == null ? [] : Array.isArray(value) ? (value as readonly Json[]) : [value];
}

function textPart(said: string): ReadPart {
  return { kind: "text", text: said };
}

function dataPart(value: Json): Extract<TurnPart, { kind: "data" }> {
  return { kind: "data", value };
}

function member(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
