import { withoutTrailing } from "../../model/plain-line.ts";
import { decodeText, piecesOf } from "../../model/long-texts.ts";
import { ApiError, invalidMember } from "../errors/api-error.ts";
import { boundFault, MOST_VALUES } from "../../model/json-bounds.ts";
import { memberPlaces, type JsonMember } from "../../model/member-texts.ts";
import { isJsonObject, parseLongJson } from "../../model/json.ts";
import { inOwnTurn, isLongText } from "../../model/turns.ts";

/** Bounds that the interface specifies; they exceed the integers that a double holds exactly. */
const WIDEST = 9223372036854776000n;
const BOUNDS: Readonly<Record<string, readonly [bigint, bigint]>> = {
  seed: [-WIDEST, WIDEST],
  truncate_prompt_tokens: [-1n, WIDEST],
};

/** Parsing millions of levels would take seconds and a gigabyte of memory. */
const MAX_DEPTH = 256;

/** A request to a model server: the text as it was sent, and the values that the passthrough needs from it. */
export interface ModelRequest {
  readonly bytes: Uint8Array;
  readonly text: string;
  readonly members: ReadonlyMap<string, JsonMember>;
  readonly model: string | null;
  readonly stream: boolean;
  /** The number of choices that must finish. */
  readonly choices: number;
  /** Whether `priority` is present and neither null nor 0. */
  readonly prioritised: boolean;
}

/** A body with its text and the places of its members. */
interface SentBody {
  readonly body: Record<string, unknown>;
  readonly text: string;
  readonly members: ReadonlyMap<string, JsonMember>;
}

/** What one endpoint asks of its requests. */
export interface RequestShape {
  /** Each throws an `ApiError` about a member that has no valid value. */
  readonly checks: readonly ((sent: SentBody) => void)[];
  /** Whether the member `stream` asks for a stream. */
  readonly streams: boolean;
  /** How many choices the answer will have. */
  readonly choices: (body: Record<string, unknown>) => number;
}

/**
 * Reads a request without changing it. It checks only what would mislead the passthrough itself; everything else,
 * including unknown members, is left to the model server.
 */
export async function parseModelRequest(bytes: Uint8Array, shape: RequestShape): Promise<ModelRequest> {
  const text = await decodeBody(bytes);
  const body = await parseObject(text);
  const members = await inOwnTurn(text, () => indexMembers(text));
  checkType("model", body["model"], "string");
  for (const check of shape.checks) check({ body, text, members });
  return {
    bytes,
    text,
    members,
    model: typeof body["model"] === "string" ? body["model"] : null,
    stream: shape.streams && body["stream"] === true,
    choices: shape.choices(body),
    prioritised: body["priority"] !== undefined && body["priority"] !== null && body["priority"] !== 0,
  };
}

async function decodeBody(bytes: Uint8Array): Promise<string> {
  try {
    return await decodeText(piecesOf(bytes));
  } catch (cause) {
    throw invalidJson("The request body is not valid UTF-8.", cause);
  }
}

const TOO_DEEP = `The request body is nested more than ${MAX_DEPTH} levels deep.`;

async function parseObject(text: string): Promise<Record<string, unknown>> {
  const fault = await inOwnTurn(text, () => boundFault(text, { depth: MAX_DEPTH, values: MOST_VALUES }));
  if (fault !== null)
    throw invalidJson(fault.bound === "depth" ? TOO_DEEP : `The request body ${fault.msg}.`);
  let body: unknown;
  try {
    body = isLongText(text) ? await parseLongJson(text) : JSON.parse(text);
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

/** The check that a member is there, whatever it is. */
export function required(name: string): (sent: Pick<SentBody, "body">) => void {
  return ({ body }) => {
    if (body[name] !== undefined) return;
    throw invalidMember(name, `Missing required parameter: '${name}'.`, "missing_required_parameter");
  };
}

export function checkMessages({ body: { messages } }: SentBody): void {
  if (!Array.isArray(messages)) throw invalidMember("messages", "'messages' must be an array.");
  const at = messages.findIndex((message) => !isJsonObject(message) || typeof message["role"] !== "string");
  if (at >= 0) throw invalidMember("messages", `'messages[${at}]' must be an object with a string 'role'.`);
}

function checkType(name: string, value: unknown, type: "string" | "boolean"): void {
  if (value === undefined || value === null || typeof value === type) return;
  throw invalidMember(name, `'${name}' must be a ${type} or null.`);
}

export function checkStream({ body }: SentBody): void {
  checkType("stream", body["stream"], "boolean");
}

export function checkStreamOptions({ body: { stream_options: value } }: SentBody): void {
  if (value === undefined || value === null || isJsonObject(value)) return;
  throw invalidMember("stream_options", "'stream_options' must be an object or null.");
}

export function checkBounds({ text, members }: SentBody): void {
  for (const [name, [min, max]] of Object.entries(BOUNDS)) {
    const member = members.get(name);
    if (member === undefined) continue;
    const fault = integerFault(text.slice(member.start, member.end), min, max);
    if (fault !== undefined) throw invalidMember(name, `'${name}' ${fault}.`);
  }
}

export function checkContinuation({ body }: SentBody): void {
  if (body["continue_final_message"] !== true || body["add_generation_prompt"] !== true) return;
  const message = "'continue_final_message' and 'add_generation_prompt' cannot both be true.";
  throw invalidMember("continue_final_message", message);
}

/** A number with more digits exceeds every bound used here, so `1e999999999` is never expanded. */
const MAX_DIGITS = 64;

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * The exact integer that a JSON number token denotes: `1.0` and `1e2` are integers, `1.5` is `"fraction"`, and a
 * token that is not a number or has too many digits is `"other"`.
 */
export function readIntegerToken(token: string): bigint | "fraction" | "other" {
  const match = NUMBER.exec(token);
  if (match === null) return "other";
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match;
  const digits = (whole + fraction).replace(/^0+/, "");
  if (digits === "") return 0n;
  const significant = withoutTrailing(digits, "0");
  const zeros = Number(exponent) - fraction.length + (digits.length - significant.length);
  if (zeros < 0) return "fraction";
  if (significant.length + zeros > MAX_DIGITS) return "other";
  return BigInt(sign + significant + "0".repeat(zeros));
}

/** The reason why a token is not an integer within the bounds; `undefined` when it is one or is `null`. */
export function integerFault(token: string, min: bigint, max: bigint): string | undefined {
  if (token === "null") return undefined;
  const value = readIntegerToken(token);
  if (value === "fraction" || (value === "other" && !NUMBER.test(token))) return "must be an integer or null";
  if (value === "other" || value < min || value > max) return `must be between ${min} and ${max}`;
  return undefined;
}
