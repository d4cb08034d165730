/** Exports of OpenTelemetry, made of short descriptions. */
export type Value = string | number | boolean | readonly Value[];
export type Attributes = { readonly [name: string]: Value };

export interface SpanParts {
  readonly trace: number;
  readonly id: number;
  readonly parent?: number;
  readonly name?: string;
  readonly at: number;
  readonly seconds?: number;
  readonly attributes?: Attributes;
  readonly failed?: string;
  readonly events?: readonly { readonly name: string; readonly attributes: Attributes }[];
}

/** 2026-05-01T00:00:00Z. */
export const BEGIN = 1_777_593_600n;

function typed(value: Value): object {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value !== "number") return { arrayValue: { values: value.map(typed) } };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

const listOf = (attributes: Attributes) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: typed(value) }));
export const traceOf = (trace: number) => trace.toString(16).padStart(32, "a");
export const spanOf = (id: number) => id.toString(16).padStart(16, "b");
const nanosOf = (at: number) => String((BEGIN * 1000n + BigInt(Math.round(at * 1000))) * 1_000_000n);

export function spanJson({ trace, id, parent, name, at, seconds = 1, attributes = {}, ...rest }: SpanParts) {
  return {
    traceId: traceOf(trace),
    spanId: spanOf(id),
    ...(parent === undefined ? {} : { parentSpanId: spanOf(parent) }),
    name: name ?? String(attributes["gen_ai.operation.name"] ?? "GET"),
    startTimeUnixNano: nanosOf(at),
    endTimeUnixNano: nanosOf(at + seconds),
    attributes: listOf(attributes),
    ...(rest.failed === undefined ? {} : { status: { code: 2, message: rest.failed } }),
    events: (rest.events ?? []).map((one) => ({
      timeUnixNano: nanosOf(at),
      name: one.name,
      attributes: listOf(one.attributes),
    })),
  };
}

export function spansExport(spans: readonly SpanParts[], resource: Attributes = { "service.name": "shop" }) {
  const scopeSpans = [{ scope: { name: "own" }, spans: spans.map(spanJson) }];
  return { resourceSpans: [{ resource: { attributes: listOf(resource) }, scopeSpans }] };
}

export function scoreExport(
  of: { trace?: number; span?: number; response?: string },
  attributes: Attributes,
) {
  const record = {
    ...(of.trace === undefined ? {} : { traceId: traceOf(of.trace) }),
    ...(of.span === undefined ? {} : { spanId: spanOf(of.span) }),
    timeUnixNano: nanosOf(90),
    eventName: "gen_ai.evaluation.result",
    attributes: listOf({
      ...(of.response === undefined ? {} : { "gen_ai.response.id": of.response }),
      ...attributes,
    }),
  };
  return { resourceLogs: [{ resource: {}, scopeLogs: [{ logRecords: [record] }] }] };
}

/** Two attempts at one case, one with a subagent and an error of a tool, one that breaks. */
export const ATTEMPTS: readonly SpanParts[] = [
  {
    trace: 1,
    id: 1,
    at: 0,
    seconds: 20,
    attributes: {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": "planner",
      "gen_ai.request.model": "m-1",
      "test.case.id": "case-1",
      "gen_ai.output.messages": '[{"role":"assistant","parts":[{"type":"text","content":"Done."}]}]',
    },
  },
  chat(1, 2, 1, 1, 100, "tool_calls"),
  {
    trace: 1,
    id: 3,
    parent: 1,
    at: 3,
    attributes: {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "search",
      "gen_ai.tool.call.arguments": '{"q":"a"}',
      "error.type": "timeout",
    },
  },
  { trace: 1, id: 4, parent: 3, at: 3.2, name: "GET /search", seconds: 0.5 },
  {
    trace: 1,
    id: 5,
    parent: 1,
    at: 5,
    seconds: 4,
    attributes: { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "helper" },
  },
  chat(1, 6, 5, 6, 50, "stop"),
  chat(1, 7, 1, 10, 200, "stop"),
  {
    trace: 2,
    id: 8,
    at: 30,
    failed: "rate limit",
    attributes: {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": "planner",
      "gen_ai.request.model": "m-1",
      "test.case.id": "case-1",
      "error.type": "RateLimit",
    },
  },
  { trace: 3, id: 9, at: 40, name: "GET /health" },
];

function chat(
  trace: number,
  id: number,
  parent: number,
  at: number,
  input: number,
  finish: string,
): SpanParts {
  return {
    trace,
    id,
    parent,
    at,
    attributes: {
      "gen_ai.operation.name": "chat",
      "gen_ai.response.model": "m-1-0101",
      "gen_ai.response.id": `answer-${id}`,
      "gen_ai.usage.input_tokens": input,
      "gen_ai.usage.output_tokens": 10,
      "gen_ai.usage.cost": 0.25,
      "gen_ai.response.finish_reasons": [finish],
    },
  };
}

export const SCORES = [
  scoreExport(
    { response: "answer-7" },
    {
      "gen_ai.evaluation.name": "correct",
      "gen_ai.evaluation.score.value": 1,
      "gen_ai.evaluation.explanation": "fits",
    },
  ),
  scoreExport({ trace: 1 }, { "gen_ai.evaluation.name": "tone", "gen_ai.evaluation.score.label": "kind" }),
  scoreExport({ trace: 1, span: 2 }, { "gen_ai.evaluation.name": "safe", "error.type": "judge_failed" }),
];
