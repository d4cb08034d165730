import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { newFolders, sharedEngine } from "./shared.ts";

const engine = await sharedEngine();
const newFolder = newFolders();
let projects = 0;

/** One asks a tool as OpenAI's messages do, the other as Anthropic's. */
const CHATS = [
  [
    { role: "user", content: "Where?" },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c", type: "function", function: { name: "search", arguments: '{"q":1}' } }],
    },
    { role: "tool", tool_call_id: "c", content: "found" },
    { role: "assistant", content: "Paris" },
  ],
  [
    { role: "user", content: "Where?" },
    {
      role: "assistant",
      content: [
        { type: "text", text: "I look." },
        { type: "tool_use", id: "t", name: "look", input: { a: 1 } },
      ],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "no", is_error: true }] },
    { role: "assistant", content: [{ type: "text", text: "London" }] },
  ],
];

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
const FILES: Readonly<Record<string, string>> = {
  "a.ndjson": CHATS.map((response, id) =>
    JSON.stringify({ id, question: "Where?", response, ok: id === 0 }),
  ).join("\n"),
  "a.json": JSON.stringify(CHATS.map((response, id) => ({ id, question: "Where?", response, ok: id === 0 }))),
  "a.csv": `id,question,response,ok\n${CHATS.map(
    (response, id) => `${id},Where?,${quoted(JSON.stringify(response))},${id === 0}\n`,
  ).join("")}`,
};

async function imported(name: string, text: string, options: object = {}) {
  const project = `acme/chats${projects++}`;
  const file = path.join(newFolder(), name);
  writeFileSync(file, text);
  await engine.importEvaluations(file, { project, ...options });
  const rows = async (statement: string) =>
    Array.from(await engine.sql(project, statement), (row) => ({ ...row }));
  const records = await rows("select record from calls where op_name like '%predict_and_score' order by id");
  const outputs = records.map(
    ({ record }) => (JSON.parse(String(record)) as { output: { output: unknown; scores: object } }).output,
  );
  const steps = await rows("select operation, name, error_type from steps order by trial_id, step");
  return { outputs, steps };
}

describe.each(Object.entries(FILES))("chats in the output column of %s", (name, text) => {
  it("are steps, and their last text is the output", async () => {
    const { outputs, steps } = await imported(name, text);
    expect(outputs.map(({ output }) => output)).toEqual(["Paris", "London"]);
    const chat = { operation: "chat", name: null, error_type: null };
    expect(steps).toEqual([
      chat,
      { operation: "execute_tool", name: "search", error_type: null },
      chat,
      chat,
      { operation: "execute_tool", name: "look", error_type: "Error: no" },
      chat,
    ]);
  });
});

it("a match compares the last text of a chat", async () => {
  const text = CHATS.map((response, id) =>
    JSON.stringify({ id, question: "Where?", response, expected: "Paris" }),
  );
  const table = { match: "response=expected" };
  const { outputs } = await imported("a.ndjson", text.join("\n"), { table });
  expect(outputs.map(({ scores }) => scores)).toEqual([{ match: true }, { match: false }]);
});

it.each([
  ["without an assistant", [{ role: "user", content: "a" }]],
  ["of other things", [{ role: "assistant", content: "a" }, "b"]],
  ["that is empty", []],
])("a list %s is an output as it is", async (_, response) => {
  const { outputs, steps } = await imported(
    "a.ndjson",
    [0, 1].map((id) => JSON.stringify({ id, question: "Where?", response, ok: id === 0 })).join("\n"),
  );
  expect(steps).toEqual([]);
  expect(outputs[0]?.output ?? []).toEqual(response);
});
