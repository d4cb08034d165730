import { hash } from "node:crypto";
import { canonicalJson } from "../../model/digest.ts";
import { groupedError } from "../../model/messages.ts";
import { isDeeper } from "../../model/json-bounds.ts";
import { parseJson, type Json, type JsonObject } from "../../model/json.ts";
import { MAX_JSON_DEPTH } from "../../model/read-json.ts";
import type { Operation } from "../../model/steps.ts";
import { attribute, firstPoints, someText, inside, wholeNumber } from "./call-attributes.ts";
import { objectMember } from "./call-reading.ts";
import { onlyModel, statedCost, tokensOf, type StepTokens } from "./step-usage.ts";

/** What a call tells of a step, without any other call. */
export interface CallStep extends StepTokens {
  /** Null of a score call that names none: it is kept for what is below it. */
  readonly operation: Operation | null;
  /** Whether its usage alone tells that it is a `chat`. */
  readonly byUsage: boolean;
  readonly isScore: boolean;
  readonly name: string | null;
  readonly model: string | null;
  /** The first eight bytes of a hash of a tool's name and arguments. */
  readonly action: bigint | null;
  readonly cost: number | null;
  readonly finishReason: string | null;
  readonly errorType: string | null;
  /** Whether the source says nothing of errors. */
  readonly errorUnknown: boolean;
  /** Its place among calls that start at the same time. */
  readonly place: number | null;
  readonly untimed: Untimed;
}

/** Which of its times mean nothing: 1 the start, 2 all. */
export type Untimed = 0 | 1 | 2;

/** What a step is read from. */
interface StepRecord {
  readonly members: JsonObject;
  /** The name part of `op_name`. */
  readonly opName: string;
  readonly isScore: boolean;
  readonly namespaces: readonly string[];
}

/** The step that a call tells of; null where it tells of none. */
export function readStep(record: StepRecord): CallStep | null {
  const { members, isScore } = record;
  const attributes = objectMember(members, "attributes");
  const named = namedOperation(attributes, record.namespaces);
  const tokens = named === "chat" || named === null ? tokensOf(members, attributes) : null;
  const operation = named === null ? tokens && "chat" : named === OTHER ? null : named;
  if (operation === null && !isScore) return null;
  const name =
    operation === null || operation === "chat" ? null : nameOf(operation, attributes, record.opName);
  const isChat = operation === "chat";
  const errorType = errorTypeOf(members, attributes);
  return {
    inputTokens: tokens?.inputTokens ?? null,
    outputTokens: tokens?.outputTokens ?? null,
    cachedTokens: tokens?.cachedTokens ?? null,
    operation,
    byUsage: named === null && isChat,
    isScore,
    name: name === null ? null : shortened(name, MOST_IN_NAME),
    model: isChat ? modelOf(members, attributes) : null,
    action: operation === "execute_tool" ? actionOf(name, argumentsOf(members, attributes)) : null,
    cost: isChat ? statedCost(members, attributes) : null,
    finishReason: isChat ? finishReasonOf(members, attributes) : null,
    errorType,
    errorUnknown: errorType === null && attribute(attributes, ERROR_UNKNOWN, isTrue) === true,
    place: attribute(attributes, PLACE, wholeNumber),
    untimed: attribute(attributes, UNTIMED, untimedOf) ?? 0,
  };
}

const ERROR_UNKNOWN = ["evalcube.error_unknown"];
const PLACE = ["evalcube.step"];
const UNTIMED = ["evalcube.untimed"];
const ERROR_TYPE = ["error.type"];
const STATUS = ["otel.status_code"];
const FINISH_REASONS = ["gen_ai.response.finish_reasons"];
const MODELS = ["gen_ai.response.model", "gen_ai.request.model", "llm.model_name"];

/** An operation that is no step. */
const OTHER = "other";

type Meanings = Readonly<Record<string, Operation>>;

/** What the values of the attributes mean that name an operation. */
const GEN_AI: Meanings = {
  chat: "chat",
  text_completion: "chat",
  generate_content: "chat",
  execute_tool: "execute_tool",
  invoke_agent: "invoke_agent",
};
const KINDS: Meanings = { llm: "chat", tool: "execute_tool", search: "execute_tool", agent: "invoke_agent" };
const SPAN_KINDS: Meanings = {
  LLM: "chat",
  TOOL: "execute_tool",
  RETRIEVER: "execute_tool",
  AGENT: "invoke_agent",
};
const AI_SDK: readonly (readonly [pattern: RegExp, operation: Operation])[] = [
  [/\.do(?:Generate|Stream)$/, "chat"],
  [/^ai\.toolCall$/, "execute_tool"],
];

/** The first attribute that is there decides, also where what it says is no step. */
function namedOperation(
  attributes: JsonObject,
  namespaces: readonly string[],
): Operation | typeof OTHER | null {
  const ofGenAi = attribute(attributes, OPERATION_NAME, someText);
  if (ofGenAi !== null) return meaning(GEN_AI, ofGenAi);
  const kind = attribute(attributes, kindsOf(namespaces), someText);
  if (kind !== null) return meaning(KINDS, kind);
  const ofSpan = attribute(attributes, SPAN_KIND, someText);
  if (ofSpan !== null) return meaning(SPAN_KINDS, ofSpan.toUpperCase());
  const ofSdk = attribute(attributes, SDK_OPERATION, someText);
  if (ofSdk === null) return null;
  return AI_SDK.find(([pattern]) => pattern.test(ofSdk))?.[1] ?? OTHER;
}

const OPERATION_NAME = ["gen_ai.operation.name"];
const SPAN_KIND = ["openinference.span.kind"];
const SDK_OPERATION = ["ai.operationId"];

function meaning(meanings: Meanings, value: string): Operation | typeof OTHER {
  return Object.hasOwn(meanings, value) ? (meanings[value] ?? OTHER) : OTHER;
}

const KIND_NAMES = new WeakMap<readonly string[], readonly string[]>();

function kindsOf(namespaces: readonly string[]): readonly string[] {
  const known = KIND_NAMES.get(namespaces);
  if (known !== undefined) return known;
  const names = [WEAVE_KIND, ...namespaces.map((one) => `${one}.kind`)];
  KIND_NAMES.set(namespaces, names);
  return names;
}

const WEAVE_KIND = "weave.kind";

const NAMES = {
  execute_tool: ["gen_ai.tool.name", "tool.name", "ai.toolCall.name"],
  invoke_agent: ["gen_ai.agent.name"],
};

function nameOf(operation: keyof typeof NAMES, attributes: JsonObject, opName: string): string | null {
  const stated = attribute(attributes, NAMES[operation], someText);
  if (stated !== null) return stated;
  return someText(operation === "execute_tool" ? opName.replace(/^execute_tool /, "") : opName);
}

const MOST_IN_NAME = 200;
const MOST_IN_ERROR = 200;

/** At most so many code points, the last one then an ellipsis. */
function shortened(text: string, most: number): string {
  if (text.length <= most) return text.toWellFormed();
  return firstPoints(text, most + 1) === firstPoints(text, most)
    ? firstPoints(text, most)
    : `${firstPoints(text, most - 1)}…`;
}

function modelOf(members: JsonObject, attributes: JsonObject): string | null {
  const model =
    attribute(attributes, MODELS, someText) ??
    onlyModel(members) ??
    someText(inside(members, ["output", "model"])) ??
    someText(inside(members, ["inputs", "model"]));
  return model?.toWellFormed() ?? null;
}

const ARGUMENTS = ["gen_ai.tool.call.arguments", "input.value", "ai.toolCall.args"];

/** What a tool was called with. */
export function argumentsOf(members: JsonObject, attributes: JsonObject): Json {
  const stated = attribute(attributes, ARGUMENTS, (value) => value);
  if (stated !== null) return typeof stated === "string" ? parsed(stated) : stated;
  const { self: _self, ...others } = objectMember(members, "inputs");
  return others;
}

/** A text that is JSON of an object or a list counts as that value. */
function parsed(text: string): Json {
  if (!/^[ \t\n\r]*[{[]/.test(text) || isDeeper(text, MAX_JSON_DEPTH)) return text;
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

function actionOf(name: string | null, given: Json): bigint {
  return BigInt(`0x${hash("sha256", canonicalJson([name, given]), "hex").slice(0, 16)}`);
}

function errorTypeOf(members: JsonObject, attributes: JsonObject): string | null {
  const stated = attribute(attributes, ERROR_TYPE, someText);
  if (stated !== null) return firstPoints(stated, MOST_IN_ERROR);
  const exception = groupedError(someText(members["exception"]));
  if (exception !== null) return exception.toWellFormed();
  return attribute(attributes, STATUS, someText) === "ERROR" ? "error" : null;
}

function finishReasonOf(members: JsonObject, attributes: JsonObject): string | null {
  const reason =
    attribute(attributes, FINISH_REASONS, reasonOf) ??
    someText(inside(firstChoice(members), ["finish_reason"])) ??
    someText(inside(members, ["output", "stop_reason"]));
  return reason?.toWellFormed() ?? null;
}

function reasonOf(value: Json): string | null {
  return someText(Array.isArray(value) ? (value as readonly Json[])[0] : value);
}

function firstChoice(members: JsonObject): Json | undefined {
  const choices = inside(members, ["output", "choices"]);
  return Array.isArray(choices) ? (choices as readonly Json[])[0] : undefined;
}

function isTrue(value: Json): true | null {
  return value === true ? true : null;
}

function untimedOf(value: Json): Untimed | null {
  return value === true ? 2 : value === "start" ? 1 : null;
}
