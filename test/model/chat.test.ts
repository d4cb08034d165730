import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chatOf, type Chat } from "../../src/model/chat.ts";
import { parseJson, writeJson, type Json } from "../../src/model/json.ts";
import { errorLine, oneLine, outputLine } from "../../src/model/one-line.ts";
import { hostileTexts } from "../support/hostile-texts.ts";

const text = (said: string) => ({ kind: "text", text: said });
const call = (name: string, given: unknown, ...results: unknown[]): unknown =>
  expect.objectContaining({ kind: "call", name, arguments: given, results });

const openAi: Json = [
  { role: "system", content: "Be brief." },
  {
    role: "user",
    content: [
      { type: "text", text: "What is " },
      { type: "text", text: "152 * 18?" },
    ],
  },
  {
    role: "assistant",
    content: null,
    refusal: null,
    tool_calls: [
      { id: "c1", type: "function", function: { name: "times", arguments: '{"a":152,"b":18}' } },
      { id: "c2", type: "function", function: { name: "note", arguments: "no JSON" } },
    ],
  },
  { role: "tool", tool_call_id: "c1", content: "2736" },
  { role: "tool", tool_call_id: "c2", content: [{ type: "text", text: "done" }] },
  { role: "assistant", content: "It is 2736.\nQuite sure." },
];

const openAiChat: Partial<Chat> = {
  turns: [
    { role: "system", parts: [text("Be brief.")] },
    { role: "user", parts: [text("What is 152 * 18?")] },
    { role: "assistant", parts: [call("times", { a: 152, b: 18 }, "2736"), call("note", "no JSON", "done")] },
    { role: "assistant", parts: [text("It is 2736.\nQuite sure.")] },
  ] as Chat["turns"],
  messages: 6,
  calls: 2,
  last: "It is 2736.\nQuite sure.",
};

describe("a chat", () => {
  it("is a list of messages, with what tools gave back beside their calls", () => {
    expect(chatOf(openAi)).toEqual({ ...openAiChat, rest: null });
    expect(chatOf({ messages: openAi, tries: 2, id: "x" })).toEqual({ ...openAiChat, rest: { tries: 2 } });
  });

  it("is the message of an OpenAI chat completion", () => {
    const message = { role: "assistant", content: "Paris", refusal: null, annotations: [] };
    const choices = [{ index: 0, message, finish_reason: "stop", logprobs: null }];
    const answer = { id: "x", object: "chat.completion", model: "m", choices, usage: { total_tokens: 3 } };
    const turns = [{ role: "assistant", parts: [text("Paris")] }];
    expect(chatOf(answer)).toEqual({ turns, messages: 1, calls: 0, last: "Paris", rest: null });
    expect(chatOf({ ...answer, choices: [...choices, ...choices] })).toBeNull();
  });

  it("is the output of an OpenAI response", () => {
    const answer = {
      object: "response",
      tools: [{ type: "function" }],
      output: [
        { type: "reasoning", id: "r", summary: [{ type: "summary_text", text: "I multiply." }] },
        { type: "function_call", call_id: "c", name: "times", arguments: '{"a":1}', status: "completed" },
        { type: "function_call_output", call_id: "c", output: "1" },
        { type: "web_search_call", id: "w", status: "completed", action: { query: "one" } },
        {
          type: "message",
          role: "assistant",
          id: "m",
          content: [{ type: "output_text", text: "One.", annotations: [] }],
        },
      ],
    };
    const chat = chatOf(answer);
    expect(chat).toMatchObject({ messages: 1, calls: 2, last: "One.", rest: null });
    expect(chat?.turns.map(({ parts }) => parts)).toEqual([
      [{ kind: "data", value: answer.output[0] }],
      [call("times", { a: 1 }, "1")],
      [call("web_search", { action: { query: "one" } })],
      [text("One.")],
    ]);
  });

  it("is a message of Anthropic, alone or among others", () => {
    const message = {
      id: "msg",
      type: "message",
      role: "assistant",
      model: "claude",
      content: [
        { type: "thinking", thinking: "hm", signature: "s" },
        { type: "text", text: "Let me see." },
        { type: "tool_use", id: "t", name: "look", input: { at: ["a"] } },
      ],
      stop_reason: "tool_use",
      usage: { input_tokens: 1 },
    };
    const asked = [{ type: "tool_result", tool_use_id: "t", content: [{ type: "text", text: "seen" }] }];
    expect(chatOf(message)).toMatchObject({ messages: 1, calls: 1, last: "Let me see." });
    expect(chatOf([message, { role: "user", content: asked }])).toMatchObject({
      messages: 2,
      turns: [
        {
          role: "assistant",
          parts: [
            { kind: "data", value: message.content[0] },
            text("Let me see."),
            call("look", { at: ["a"] }, "seen"),
          ],
        },
      ],
    });
  });

  it("shows what a message has beside, and the result of a call that is not there, as data", () => {
    expect(chatOf([{ role: "assistant", content: "a", score: 1, id: "x" }])?.turns[0]?.parts).toEqual([
      text("a"),
      { kind: "data", value: { score: 1 } },
    ]);
    expect(chatOf([{ role: "tool", tool_call_id: "gone", content: "b" }])?.turns).toEqual([
      { role: "tool", parts: [{ kind: "data", value: "b" }] },
    ]);
  });

  it.each<[string, Json]>([
    ["text", "assistant: hello"],
    ["number", 3],
    ["nothing", null],
    ["empty list", []],
    ["list of texts", ["a"]],
    ["role without content", [{ role: "user" }]],
    ["content that is a number", [{ role: "user", content: 5 }]],
    ["role that nobody has", [{ role: "admin", content: "x" }]],
    ["role that is no text", [{ role: 1, content: "x" }]],
    ["message beside data", [{ role: "user", content: "x" }, { a: 1 }]],
    ["block of an unknown kind", [{ role: "assistant", content: [{ type: "hologram", at: 1 }] }]],
    ["block without a kind", [{ role: "assistant", content: [{ text: "x" }] }]],
    ["text block without text", [{ role: "assistant", content: [{ type: "text", text: 1 }] }]],
    ["call without a name", [{ role: "assistant", content: "", tool_calls: [{ function: {} }] }]],
    ["calls of another shape", [{ role: "assistant", content: null, tool_calls: "times" }]],
    ["choices without messages", { choices: [{ text: "x" }] }],
    ["output that is a text", { output: "x" }],
    ["output of other data", { output: [{ type: "phone_call", to: "me" }] }],
    ["reasoning alone", [{ type: "reasoning", summary: [] }]],
    ["messages that are none", { messages: { role: "user", content: "x" } }],
  ])("is not made of a %s", (_, value) => {
    expect(chatOf(value)).toBeNull();
  });

  it("keeps every hostile text as it is", () => {
    for (const said of hostileTexts) {
      const message = { role: "assistant", content: said, [said === "role" ? "x" : said]: said };
      const chat = chatOf(parseJson(writeJson([message, { role: "user", content: said }])));
      expect(chat?.last).toBe(said.trim() === "" ? null : said);
      expect(chat?.turns.at(-1)?.parts).toEqual(said === "" ? [] : [text(said)]);
    }
  });

  it("never fails, whatever the value", () => {
    const word = fc.constantFrom(
      "role",
      "content",
      "type",
      "text",
      "tool_calls",
      "messages",
      "choices",
      "message",
    );
    const leaf = fc.constantFrom<Json>("assistant", "tool", "text", "tool_use", null, 1, true, "", "c");
    const { value } = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof({ maxDepth: 5 }, leaf, fc.array(tie("value")), fc.dictionary(word, tie("value"))),
    }));
    fc.assert(
      fc.property(value, (any) => {
        const chat = chatOf(any);
        expect(outputLine(any)).not.toMatch(/[\r\n]/);
        expect(chat === null || chat.messages + chat.calls > 0).toBe(true);
      }),
    );
  });
});

describe("the line of an output", () => {
  it.each<[string, Json]>([
    ["It is 3.", "\n  It is 3.  \nBecause."],
    ["a b", "a\t b"],
    ['{"a":[1,"x"]}', { a: [1, "x"] }],
    ['{"a":1}', '{\n "a": 1 }'],
    ["12345678901234567890", 12345678901234567890n],
    ["null", null],
    ["", ""],
    ["It is 2736.", openAi],
    ["It is 2736.", writeJson(openAi)],
    ['[{"role":"user","content":"x"}]', [{ role: "user", content: "x" }]],
    ["<b>bold</b>", "<b>bold</b>"],
  ])("may be %s", (line, output) => {
    expect(outputLine(output)).toBe(line);
  });

  it("is cut after 400 characters, never in the middle of one", () => {
    expect(oneLine("x".repeat(400))).toBe("x".repeat(400));
    expect(oneLine("x".repeat(401))).toBe(`${"x".repeat(400)}…`);
    expect(oneLine(`${"x".repeat(399)}😀`)).toBe(`${"x".repeat(399)}…`);
    expect(oneLine(" ".repeat(5000))).toBe("…");
  });

  it("is what went wrong where a trial failed", () => {
    expect(errorLine("Error: no key\n at x")).toBe("Error: no key");
    expect(errorLine("out of memory")).toBe("Error: out of memory");
  });
});
