import { describe, expect, it } from "vitest";
import { callsOf } from "../../src/runners/vitest-evals.ts";

const event = (id?: string) => ({
  type: "tool_call",
  name: "find",
  arguments: { a: 1 },
  ...(id === undefined ? {} : { id }),
});
const span = (attributes: object) => ({ name: "span", attributes });

/** The operation of each call that comes from these spans and events. */
function operationsOf(spans: readonly object[], events: readonly object[]) {
  const calls = callsOf({ traces: [{ spans }], session: { events } }, 0, 1000);
  return calls.map(
    ({ attributes }) => (attributes as Record<string, unknown> | undefined)?.["gen_ai.operation.name"],
  );
}

describe("calls of vitest-evals", () => {
  it("keep the attributes of spans, so that these are steps", () => {
    const told = {
      "gen_ai.operation.name": "chat",
      "gen_ai.response.model": "gpt-x",
      "gen_ai.usage.input_tokens": 3,
    };
    expect(callsOf({ traces: [{ spans: [span(told)] }] }, 0, 1)).toMatchObject([{ attributes: told }]);
  });

  it.each<[string, readonly object[], readonly object[], readonly unknown[]]>([
    ["no span tells it", [span({})], [event("1")], [undefined, "execute_tool"]],
    [
      "a span has another id",
      [span({ "gen_ai.operation.name": "execute_tool", "gen_ai.tool.call.id": "2" })],
      [event("1")],
      ["execute_tool", "execute_tool"],
    ],
    [
      "it has no id and no span is a tool",
      [span({ "ai.operationId": "ai.generateText" })],
      [event()],
      [undefined, "execute_tool"],
    ],
  ])("are steps for the event of a tool where %s", (_, spans, events, operations) => {
    expect(operationsOf(spans, events)).toEqual(operations);
  });

  it.each<[string, readonly object[], readonly object[]]>([
    [
      "has its id",
      [span({ "gen_ai.operation.name": "execute_tool", "gen_ai.tool.call.id": "1" })],
      [event("1")],
    ],
    ["is a tool, and there are no ids", [span({ "openinference.span.kind": "TOOL" })], [event()]],
    ["is a tool of the AI SDK, and there are no ids", [span({ "ai.operationId": "ai.toolCall" })], [event()]],
  ])("are no second step for the event of a tool where a span %s", (_, spans, events) => {
    expect(operationsOf(spans, events).slice(spans.length)).toEqual([undefined]);
  });
});
