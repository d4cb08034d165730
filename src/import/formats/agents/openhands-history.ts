import { isJsonObject, type Json, type JsonObject } from "../../../model/json.ts";
import { contentText } from "../../../model/step-items/chat-items.ts";
import type { ChatItem, StepItem, ToolItem } from "../../../model/step-items/items.ts";
import { listAt, numberAt, objectAt, omit, textAt } from "../../read/members.ts";
import { lacksZone, microsecondsOf, readTime } from "../../translate/times.ts";
import { tokensIn } from "./agent-trial.ts";

/** What the events of a trial say. */
interface History {
  readonly steps: readonly StepItem[];
  readonly stopReason: string | null;
  readonly startedAt: bigint | null;
  readonly endedAt: bigint | null;
  /** Whether a time lacks its zone. */
  readonly lacksZone: boolean;
}

/** Reads the events of a trial, of older versions in pairs of an action and its observation. */
export function readHistory(one: JsonObject): History {
  const events = listAt(one, "history").flat().filter(isJsonObject);
  const times = events.flatMap((event) => readTime(event["timestamp"]) ?? []);
  return {
    steps: stepsOf(events, objectAt(one, "metrics")),
    stopReason: stopOf(events),
    startedAt: times[0] ?? null,
    endedAt: times.at(-1) ?? null,
    lacksZone: events.some((event) => lacksZone(event["timestamp"])),
  };
}

const isAction = (event: JsonObject) =>
  event["kind"] === "ActionEvent" ||
  (event["source"] === "agent" &&
    isJsonObject(event["tool_call_metadata"]) &&
    event["observation"] === undefined);

function stepsOf(events: readonly JsonObject[], metrics: JsonObject): StepItem[] {
  const answers = answersIn(events);
  const seen = new Set<string>();
  let since: Json[] = [];
  return events.flatMap((event) => {
    if (!isAction(event)) {
      if (event["source"] === "user") since.push({ role: "user", content: messageOf(event) });
      return [];
    }
    const response =
      textAt(event, "llm_response_id") ?? textAt(event, "tool_call_metadata", "model_response", "id");
    const isNew = response === null || !seen.has(response);
    if (response !== null) seen.add(response);
    const chat = isNew ? [chatOf(event, response, metrics, since)] : [];
    if (isNew) since = [];
    return [...chat, toolOf(event, answers)];
  });
}

const messageOf = (event: JsonObject): Json =>
  contentText(event["message"] ?? null) ??
  textAt(event, "args", "content") ??
  contentText(objectAt(event, "llm_message")["content"] ?? null);

/** A call of the model, with what the metrics say of its response. */
function chatOf(
  event: JsonObject,
  response: string | null,
  metrics: JsonObject,
  messages: readonly Json[],
): ChatItem {
  const reply = objectAt(event, "tool_call_metadata", "model_response");
  const isOwn = (one: Json) => response !== null && textAt(one, "response_id") === response;
  const [usages, costs] = [listAt(metrics, "token_usages"), listAt(metrics, "costs")];
  const at = usages.findIndex(isOwn);
  const latency = numberAt(listAt(metrics, "response_latencies").find(isOwn) ?? {}, "latency");
  const endedAt = readTime(event["timestamp"]);
  const startedAt =
    endedAt === null || latency === null ? endedAt : endedAt - microsecondsOf(Math.max(0, latency));
  return {
    kind: "chat",
    model: textAt(reply, "model") ?? textAt(usages[at] ?? {}, "model"),
    messages,
    output: objectAt(listAt(reply, "choices")[0])["message"] ?? {
      role: "assistant",
      content: thoughtOf(event),
    },
    tokens: tokensIn(usages[at] ?? {}, "prompt_tokens", "completion_tokens", "cache_read_tokens"),
    cost: at >= 0 && costs.length === usages.length ? numberAt(costs[at] ?? {}, "cost") : null,
    finishReason: textAt(listAt(reply, "choices")[0] ?? {}, "finish_reason"),
    startedAt,
    endedAt: latency === null ? null : endedAt,
  };
}

const thoughtOf = (event: JsonObject): Json =>
  contentText(event["thought"] ?? null) ?? textAt(event, "args", "thought");

/** Observations by the ids of their calls, and by the numbers of their causes. */
function answersIn(events: readonly JsonObject[]): Map<Json, JsonObject> {
  const answers = new Map<Json, JsonObject>();
  for (const event of events) {
    const isAnswer = event["observation"] !== undefined || event["kind"] === "AgentErrorEvent";
    if (!isAnswer || isAction(event)) continue;
    const keys = [
      event["cause"],
      event["tool_call_id"],
      objectAt(event, "tool_call_metadata")["tool_call_id"],
    ];
    for (const key of keys)
      if (key !== undefined && key !== null && !answers.has(key)) answers.set(key, event);
  }
  return answers;
}

function toolOf(event: JsonObject, answers: ReadonlyMap<Json, JsonObject>): ToolItem {
  const told = objectAt(event, "tool_call_metadata");
  const id = textAt(event, "tool_call_id") ?? textAt(told, "tool_call_id");
  const answer = answers.get(event["id"] ?? Number.NaN) ?? (id === null ? undefined : answers.get(id));
  const startedAt = readTime(event["timestamp"]);
  const tool = {
    kind: "tool" as const,
    name: textAt(event, "tool_name") ?? textAt(told, "function_name") ?? textAt(event, "action") ?? "tool",
    id,
    arguments: argumentsOf(event, id),
    startedAt,
  };
  if (answer === undefined) return { ...tool, isErrorUnknown: true };
  const endedAt = readTime(answer["timestamp"]);
  return {
    ...tool,
    result: resultOf(answer),
    errorType: errorOf(answer),
    endedAt: startedAt !== null && endedAt !== null && endedAt >= startedAt ? endedAt : null,
  };
}

function argumentsOf(event: JsonObject, id: string | null): Json | undefined {
  const call = objectAt(event, "tool_call");
  const own = call["arguments"] ?? objectAt(call, "function")["arguments"];
  const choices = listAt(event, "tool_call_metadata", "model_response", "choices");
  const calls = choices.flatMap((choice) => listAt(choice, "message", "tool_calls"));
  const found = calls.find((one) => id !== null && textAt(one, "id") === id);
  return own ?? objectAt(found, "function")["arguments"] ?? omit(objectAt(event, "args"), ["thought"]);
}

function resultOf(answer: JsonObject): Json {
  const inside = objectAt(answer, "observation");
  const content = answer["content"] ?? inside["content"] ?? answer["error"] ?? inside["output"] ?? null;
  return contentText(content) ?? content;
}

function errorOf(answer: JsonObject): string | null {
  const inside = objectAt(answer, "observation");
  const isError =
    answer["observation"] === "error" ||
    answer["kind"] === "AgentErrorEvent" ||
    [answer["error"], inside["error"], inside["is_error"]].includes(true);
  if (isError) return "error";
  const codes = [objectAt(answer, "extras", "metadata"), objectAt(inside, "metadata"), inside];
  const code = codes.map((one) => numberAt(one, "exit_code")).find((one) => one !== null) ?? 0;
  return code === 0 || code === -1 ? null : `exit_${code}`;
}

const FINISHED = /^finish(action)?$/i;

/** Why the agent stopped: its last action, else the last state that is told. */
function stopOf(events: readonly JsonObject[]): string | null {
  const action = events.findLast((event) => isAction(event) || event["action"] !== undefined);
  const names = [action?.["action"], action?.["tool_name"], objectAt(action, "action")["kind"]];
  if (names.some((name) => typeof name === "string" && FINISHED.test(name))) return "finished";
  const states = events.map(
    (event) => textAt(event, "extras", "agent_state") ?? textAt(event, "agent_state"),
  );
  return states.findLast((state) => state !== null) ?? null;
}
