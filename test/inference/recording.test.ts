import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { assembleChat } from "../../src/inference/reply/assemble-stream.ts";
import { startService, type TestService } from "../http/running-service.ts";
import { until } from "../support/until.ts";
import {
  COMPLETION,
  delta,
  DONE,
  finish,
  frame,
  replyWith,
  startUpstream,
  streamOf,
  type ScriptedUpstream,
} from "./scripted-upstream.ts";

let upstream: ScriptedUpstream;
let service: TestService;
const calls: Record<string, unknown>[] = [];

beforeAll(async () => {
  upstream = await startUpstream();
  upstream.script("m", replyWith(200, COMPLETION));
  upstream.script(
    "s",
    streamOf([
      delta("he"),
      delta("llo"),
      finish(),
      frame({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } }),
      DONE,
    ]),
  );
  upstream.script("broken", streamOf([delta("he")]));
  service = await startService({
    inference: { upstreams: [{ base_url: upstream.url }], record: true },
    async ingestCalls(records) {
      calls.push(...(records as Record<string, unknown>[]));
    },
  });
});

afterAll(async () => {
  await service.stop();
  await upstream.close();
});

beforeEach(() => {
  calls.length = 0;
});

const PROJECT = { headers: { "openai-project": "acme/qa" } };

describe("recording what was served", () => {
  it("keeps a completion as a call of the project, without its salt", async () => {
    const body = '{"model":"m","messages":[],"seed":9007199254740993,"cache_salt":"secret"}';
    await service.chat(body, PROJECT);
    await until("the completion is recorded", () => calls.length > 0);
    expect(calls).toMatchObject([
      {
        project_id: "acme/qa",
        op_name: "chat.completions.create",
        parent_id: null,
        inputs: { model: "m", messages: [], seed: 9007199254740993n },
        output: { big: 9007199254740993n, choices: [{ message: { content: "hello" } }] },
        summary: { usage: { m: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5, requests: 1 } } },
        attributes: { user: "ann", streamed: false },
      },
    ]);
    expect(calls[0]?.["inputs"]).not.toHaveProperty("cache_salt");
  });

  it("puts a stream together", async () => {
    await (await service.chat({ model: "s", messages: [], stream: true }, PROJECT)).text();
    await until("the completion is recorded", () => calls.length > 0);
    expect(calls).toMatchObject([
      {
        output: {
          object: "chat.completion",
          choices: [{ index: 0, message: { role: "assistant", content: "hello" }, finish_reason: "stop" }],
        },
        summary: { usage: { s: { total_tokens: 3 } } },
      },
    ]);
  });

  it("keeps neither what failed nor what belongs to no project", async () => {
    await service.chat({ model: "m", messages: [] });
    await (await service.chat({ model: "broken", messages: [], stream: true }, PROJECT)).text();
    // Completions are kept in the order in which they end.
    await service.chat({ model: "m", messages: [{ role: "user", content: "last" }] }, PROJECT);
    await until("the completion is recorded", () => calls.length > 0);
    expect(calls).toMatchObject([{ inputs: { messages: [{ content: "last" }] } }]);
  });
});

function call(piece: object): string {
  return frame({ choices: [{ index: 1, delta: { tool_calls: [piece] }, finish_reason: null }] });
}

describe("a stream put together", () => {
  it("has its tool calls and choices whole", () => {
    const events = [
      delta("a", 0),
      call({ index: 0, id: "c", type: "function", function: { name: "f", arguments: '{"a"' } }),
      call({ index: 0, function: { arguments: ":1}" } }),
      finish(0),
      finish(1),
      DONE,
    ];
    expect(assembleChat(events.join(""))).toMatchObject({
      choices: [
        { index: 0, message: { content: "a" }, finish_reason: "stop" },
        {
          index: 1,
          message: {
            tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: '{"a":1}' } }],
          },
          finish_reason: "stop",
        },
      ],
    });
  });
});
