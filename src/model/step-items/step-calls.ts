import { parsedOr } from "../json-text.ts";
import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import { isTakenOp } from "../references.ts";
import { formatTimestamp } from "../timestamp.ts";
import type { ChatItem, FrameItem, StepItem, ToolItem } from "./items.ts";
import { sumTokens, type TokenSums } from "../token-counts.ts";

/** A call of a step: members of its record, its place in the order, and that of the frame around it. */
interface StepCall {
  readonly place: number;
  readonly frame: number | null;
  readonly members: JsonObject & Readonly<Record<"op_name" | "started_at", string>>;
}

/** Where steps begin: their first place, and the start in microseconds since 1970 of those that tell none. */
interface Begin {
  readonly place: number;
  readonly startedAt: bigint;
}

interface Walk {
  readonly calls: StepCall[];
  place: number;
  /** The start of the step before: steps without times stay behind it. */
  startedAt: bigint;
}

/** The calls of these items, those of frames included, in their order. */
export function stepCalls(items: readonly StepItem[], begin: Begin): StepCall[] {
  const walk: Walk = { calls: [], ...begin };
  addCalls(items, null, walk);
  return walk.calls;
}

function addCalls(items: readonly StepItem[], frame: number | null, walk: Walk): void {
  for (const item of items) {
    const place = walk.place++;
    walk.startedAt = item.startedAt ?? walk.startedAt;
    walk.calls.push({ place, frame, members: membersOf(item, place, walk.startedAt) });
    if (item.kind === "frame") addCalls(item.items, place, walk);
  }
}

/** No step takes longer: some thirty years. */
const MOST_SECONDS = 1e9;

function membersOf(item: StepItem, step: number, startedAt: bigint): StepCall["members"] {
  const { startedAt: own = null, seconds = null } = item;
  const isLength = seconds !== null && seconds >= 0 && seconds <= MOST_SECONDS;
  const length = isLength ? startedAt + BigInt(Math.round(seconds * 1e6)) : null;
  const endedAt = item.endedAt ?? length;
  const untimed = own !== null ? null : length !== null ? "start" : true;
  const { op_name, attributes, ...others } = OF_KIND[item.kind](item as never);
  const isUnknown = item.kind === "tool" && item.isErrorUnknown === true;
  return {
    op_name,
    started_at: formatTimestamp(startedAt),
    ...(endedAt === null || untimed === true ? {} : { ended_at: formatTimestamp(endedAt) }),
    attributes: {
      ...known(attributes),
      evalcube: {
        step,
        ...(untimed === null ? {} : { untimed }),
        ...(isUnknown ? { error_unknown: true } : {}),
      },
    },
    ...known(others),
  };
}

type Sparse = { readonly [name: string]: Json | undefined };

interface Made {
  readonly op_name: string;
  readonly attributes: Sparse;
  readonly inputs?: JsonObject | null;
  readonly output?: Json | undefined;
  readonly exception?: string | undefined;
}

const OF_KIND = { chat: chatCall, tool: toolCall, frame: frameCall };

function chatCall({ model, tokens, cost, finishReason, errorType, messages, output }: ChatItem): Made {
  return {
    op_name: "chat",
    attributes: {
      "gen_ai.operation.name": "chat",
      "gen_ai.response.model": model,
      "gen_ai.usage.input_tokens": tokens?.input,
      "gen_ai.usage.output_tokens": tokens?.output,
      "gen_ai.usage.cache_read.input_tokens": tokens?.cached,
      "gen_ai.usage.cost": cost,
      "gen_ai.response.finish_reasons": finishReason == null ? null : [finishReason],
      "error.type": errorType,
    },
    inputs: messages === undefined || messages.length === 0 ? null : { messages },
    output,
  };
}

function toolCall({ name, id, errorType, exception, result, arguments: given }: ToolItem): Made {
  const shown = name.replaceAll("\0", "\uFFFD");
  return {
    op_name: shown === "" ? "tool" : isTakenOp(shown) ? `execute_tool ${shown}` : shown,
    attributes: {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": name,
      "gen_ai.tool.call.id": id,
      "error.type": errorType,
    },
    inputs: argumentsOf(given),
    output: result,
    exception: exception?.replaceAll("\0", "\uFFFD"),
  };
}

function frameCall({ name }: FrameItem): Made {
  return {
    op_name: "invoke_agent",
    attributes: { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name },
  };
}

/** The arguments of a tool as an object: itself, that of its JSON text, or one around it. */
function argumentsOf(given: Json | undefined): JsonObject {
  const value = typeof given === "string" && /^\s*\{/.test(given) ? parsedOr(given) : given;
  if (isJsonObject(value)) return value;
  return given == null ? {} : { arguments: given };
}

function known(members: Sparse): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value != null)) as JsonObject;
}

/** The tokens of the chats of some items by model; null where there is no chat, or one that does not tell. */
export function chatTokens(items: readonly StepItem[], model: string): Map<string, TokenSums> | null {
  const told = new Map<string, TokenSums>();
  const chats = chatsIn(items);
  for (const { tokens, model: own } of chats) {
    if (tokens == null) return null;
    const of = own ?? model;
    told.set(of, sumTokens([...(told.has(of) ? [told.get(of) ?? tokens] : []), tokens]));
  }
  return chats.length === 0 ? null : told;
}

/** The chats among some items, those in frames included. */
export function chatsIn(items: readonly StepItem[]): ChatItem[] {
  return items.flatMap((item) =>
    item.kind === "chat" ? [item] : item.kind === "frame" ? chatsIn(item.items) : [],
  );
}
