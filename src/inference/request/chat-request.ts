import { ApiError, invalidMember } from "../errors/api-error.ts";
import { boundFault, MOST_VALUES } from "../../model/json-bounds.ts";
import { integerFault } from "./integer-token.ts";
import { memberPlaces, type JsonMember } from "../../model/member-texts.ts";
import { isJsonObject } from "../../model/json.ts";

/** Bounds that the interface specifies; they exceed the integers that a double holds exactly. */
const WIDEST = 9223372036854776000n;
const BOUNDS: Readonly<Record<string, readonly [bigint, bigint]>> = {
  seed: [-WIDEST, WIDEST],
  truncate_prompt_tokens: [-1n, WIDEST],
};

/** Parsing millions of levels would take seconds and a gigabyte of memory. */
const MAX_DEPTH = 256;

/** A completion request: the text as it was sent, and the values that the passthrough needs from it. */
export interface ChatRequest {
  readonly bytes: Uint8Array;
  readonly text: string;
  readonly members: ReadonlyMap<string, JsonMember>;
  readonly model: string | null;
  readonly stream: boolean;
  /** Member `n`, the number of choices that must finish; 1 by default. */
  readonly choices: number;
  /** Whether `priority` is present and neither null nor 0. */
  readonly prioritised: boolean;
}

/**
 * Reads a completion request without changing it. It checks only what would mislead the passthrough itself;
 * everything else, including unknown members, is left to the model server.
 */
export function parseChatRequest(bytes: Uint8Array): ChatRequest {
  const text = decodeText(bytes);
  const body = parseObject(text);
  const members = indexMembers(text);
  checkMessages(body["messages"]);
  checkType("model", body["model"], "string");
  checkType("stream", body["stream"], "boolean");
  checkStreamOptions(body["stream_options"]);
  checkBounds(text, members);
  checkContinuation(body);
  const choices = body["n"];
  return {
    bytes,
    text,
    members,
    model: typeof body["model"] === "string" ? body["model"] : null,
    stream: body["stream"] === true,
    choices: typeof choices === "number" && choices > 1 ? choices : 1,
    prioritised: body["priority"] !== undefined && body["priority"] !== null && body["priority"] !== 0,
  };
}

function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw invalidJson("The request body is not valid UTF-8.", cause);
  }
}

const TOO_DEEP = `The request body is nested more than ${MAX_DEPTH} levels deep.`;

function parseObject(text: string): Record<string, unknown> {
  const fault = boundFault(text, { depth: MAX_DEPTH, values: MOST_VALUES });
  if (fault !== null)
    throw invalidJson(fault.bound === "depth" ? TOO_DEEP : `The request body ${fault.msg}.`);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (cause) {
    throw invalidJson("The request body is not valid JSON.", cause);
  }
  if (!isJsonObject(body)) throw invalidJson("The request body must be a JSON object.");
  return body;
}

function invalidJson(message: string, cause?: unknown): ApiError {
  const facts = { status: 400, type: "invalid_request_error", code: "invalid_json" };
  return new ApiError(message, facts, { cause });
}

function indexMembers(text: string): Map<string, JsonMember> {
  const members = new Map<string, JsonMember>();
  for (const member of memberPlaces(text)) {
    if (members.has(member.name))
      throw invalidMember(member.name.slice(0, 128), "This member is sent more than once.");
    members.set(member.name, member);
  }
  return members;
}

function checkMessages(messages: unknown): void {
  if (messages === undefined) {
    throw invalidMember("messages", "Missing required parameter: 'messages'.", "missing_required_parameter");
  }
  if (!Array.isArray(messages)) throw invalidMember("messages", "'messages' must be an array.");
  const at = messages.findIndex((message) => !isJsonObject(message) || typeof message["role"] !== "string");
  if (at >= 0) throw invalidMember("messages", `'messages[${at}]' must be an object with a string 'role'.`);
}

function checkType(name: string, value: unknown, type: "string" | "boolean"): void {
  if (value === undefined || value === null || typeof value === type) return;
  throw invalidMember(name, `'${name}' must be a ${type} or null.`);
}

function checkStreamOptions(value: unknown): void {
  if (value === undefined || value === null || isJsonObject(value)) return;
  throw invalidMember("stream_options", "'stream_options' must be an object or null.");
}

function checkBounds(text: string, members: ReadonlyMap<string, JsonMember>): void {
  for (const [name, [min, max]] of Object.entries(BOUNDS)) {
    const member = members.get(name);
    if (member === undefined) continue;
    const fault = integerFault(text.slice(member.start, member.end), min, max);
    if (fault !== undefined) throw invalidMember(name, `'${name}' ${fault}.`);
  }
}

function checkContinuation(body: Record<string, unknown>): void {
  if (body["continue_final_message"] !== true || body["add_generation_prompt"] !== true) return;
  const message = "'continue_final_message' and 'add_generation_prompt' cannot both be true.";
  throw invalidMember("continue_final_message", message);
}
