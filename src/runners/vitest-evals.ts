import type { LoggedCall } from "../logging/api.ts";
import { at, isJsonObject, type JsonObject } from "../model/json.ts";
import { amountOf, listOf, sumOf, textOf, type ToldScore } from "./told.ts";

/** Scores that judges gave: numbers or null. */
export function judgedScores(meta: object): ToldScore[] {
  return listOf(at(meta, "eval", "scores")).map((judged) => {
    const score = at(judged, "score") ?? null;
    return {
      name: textOf(at(judged, "name")) ?? "score",
      // What is neither is no score.
      value: score === null || typeof score === "number" ? score : undefined,
      reason: textOf(at(judged, "metadata", "rationale")),
      higher: true,
    };
  });
}

/** The content of the first message of a user to a harness. */
export function firstInput(run: unknown): unknown {
  const events = listOf(at(run, "session", "events"));
  return at(
    events.find((event) => at(event, "type") === "message" && at(event, "role") === "user"),
    "content",
  );
}

/** Counts of tokens by model, by themselves where none is named; undefined where there are none. */
export function tokenUsage(
  usage: unknown,
  input = "inputTokens",
  output = "outputTokens",
): object | undefined {
  const counts = { input_tokens: at(usage, input), output_tokens: at(usage, output) };
  const parts = sumOf([...Object.values(counts), at(usage, "reasoningTokens")]);
  const total_tokens = amountOf(at(usage, "totalTokens")) ?? parts;
  if (total_tokens === undefined) return undefined;
  const model = textOf(at(usage, "model")) ?? textOf(at(usage, "gen_ai.response.model"));
  return model === undefined ? { ...counts, total_tokens } : { [model]: { ...counts, total_tokens } };
}

/** The spans of a harness, and its calls of tools. `start` and `end` stand for times that a call does not tell. */
export function callsOf(run: unknown, start: number, end: number): LoggedCall[] {
  const times = { start, end };
  const events = listOf(at(run, "session", "events"));
  const spans = listOf(at(run, "traces")).flatMap((trace) => listOf(at(trace, "spans")));
  const ids = new Set(spans.map((span) => at(span, "attributes", "gen_ai.tool.call.id")));
  const hasTools = spans.some(isToolSpan);
  return [
    ...spans.map((span) => spanOf(span, times)),
    ...events
      .filter((event) => at(event, "type") === "tool_call")
      .map((call) => {
        const id = at(call, "id") ?? null;
        const isTold = id === null ? hasTools : ids.has(id);
        return {
          ...toolCallOf(call, events, times),
          ...(isTold ? {} : { attributes: toolAttributes(call) }),
        };
      }),
  ];
}

/** What marks a span as the call of a tool, by the conventions of those who write them. */
const TOOL_MARKS = [
  ["gen_ai.operation.name", /^execute_tool$/],
  ["openinference.span.kind", /^tool$/i],
  ["ai.operationId", /^ai\.toolCall$/],
] as const;

function isToolSpan(span: unknown): boolean {
  const mark = (name: string) => textOf(at(span, "attributes", name)) ?? "";
  return TOOL_MARKS.some(([name, value]) => value.test(mark(name)));
}

function toolAttributes(call: unknown): JsonObject {
  const id = textOf(at(call, "id"));
  return {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": textOf(at(call, "name")) ?? "tool",
    ...(id === undefined ? {} : { "gen_ai.tool.call.id": id }),
  };
}

/** Milliseconds since 1970. */
interface Times {
  readonly start: number;
  readonly end: number;
}

function spanOf(span: unknown, times: Times): LoggedCall {
  const attributes = at(span, "attributes");
  const usage = tokenUsage(attributes, "gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens");
  return {
    op_name: textOf(at(span, "name")) ?? "span",
    ...(isJsonObject(attributes) ? { attributes } : {}),
    inputs: inputsOf(attributes),
    output: at(attributes, "gen_ai.output.messages") ?? at(attributes, "gen_ai.tool.call.result"),
    exception: exceptionOf(at(span, "error")),
    ...timesOf([span], times),
    ...(usage === undefined ? {} : { summary: { usage } }),
  };
}

function toolCallOf(call: unknown, events: readonly unknown[], times: Times): LoggedCall {
  const id = at(call, "id");
  const result = events.find((one) => at(one, "type") === "tool_result" && at(one, "toolCallId") === id);
  return {
    op_name: textOf(at(call, "name")) ?? "tool",
    inputs: inputsOf(at(call, "arguments")),
    output: at(result, "content"),
    exception: exceptionOf(at(result, "error")),
    ...timesOf([call, result], times),
  };
}

/** What is no object is a member of one. */
function inputsOf(told: unknown): object {
  return isJsonObject(told) ? told : told === undefined ? {} : { arguments: told };
}

function exceptionOf(error: unknown): string | undefined {
  const message = at(error, "message");
  return typeof message === "string"
    ? textOf(`${textOf(at(error, "type")) ?? "Error"}: ${message}`)
    : undefined;
}

/** The first times that these tell, else the others; a length stands for an end. */
function timesOf(told: readonly unknown[], times: Times) {
  const first = (name: string) => told.map((one) => timeOf(at(one, name))).find((time) => time !== null);
  const start = first("startedAt") ?? times.start;
  const length = sumOf(told.map((one) => at(one, "durationMs")).slice(0, 1));
  const end = first("finishedAt") ?? (length === undefined ? times.end : start + length);
  return { started_at: isoOf(start), ended_at: isoOf(Math.max(start, end)) };
}

function timeOf(text: unknown): number | null {
  return typeof text === "string" ? amountOf(Date.parse(text)) : null;
}

/** `time` is milliseconds since 1970. */
export function isoOf(time: number): string {
  return new Date(time).toISOString();
}
