import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { openEngine } from "../../src/index.ts";
import { supportCalls } from "../../src/demo/support.ts";
import { LONGEST_LINE } from "../../src/mcp/lines.ts";
import { inTurns } from "../../src/mcp/in-turns.ts";
import { temporaryFolder } from "../cli/command.ts";
import { startMcp } from "./clients.ts";

const { folder, remove } = temporaryFolder();
const file = path.join(folder, "evals.duckdb");

beforeAll(async () => {
  const engine = await openEngine({ path: file, threads: 1 });
  await engine.ingestCalls([...supportCalls()]);
  await engine.close();
  return remove;
});

interface Message {
  readonly id?: string | number | null;
  readonly error?: { readonly code: number; readonly message: string };
  readonly result?: unknown;
}

const HELLO = {
  jsonrpc: "2.0",
  id: "hello",
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } },
};
const GREETED = { jsonrpc: "2.0", method: "notifications/initialized" };

function called(id: string | number, name = "list_projects", args: object = {}): object {
  return { jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } };
}

/** What the command answers to lines that are all there at once, and its end. */
async function session(lines: readonly (object | string)[]) {
  const { stdin, stdout, ended } = startMcp(["--db", file, "--quiet"]);
  let said = "";
  stdout.setEncoding("utf8").on("data", (chunk: string) => (said += chunk));
  for (const line of lines) stdin.write(`${typeof line === "string" ? line : JSON.stringify(line)}\n`);
  stdin.end();
  const { status, stderr } = await ended;
  const answers = said
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Message);
  return { answers, status, stderr };
}

describe("a line that is too long", () => {
  const long = "x".repeat(LONGEST_LINE);

  it.each([
    [
      "an id before what is long",
      `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"a":"${long}"}}`,
      7,
    ],
    [
      "an id behind it",
      `{"jsonrpc":"2.0","params":{"id":1,"a":["\\"}${long}"]},"id" : "se\\u0076en" }`,
      "seven",
    ],
    ["no id", `{"jsonrpc":"2.0","params":{"id":3,"a":"${long}"}}`, null],
    ["no JSON", long + long, null],
  ])("with %s is answered with an error, and the session goes on", async (_, line, id) => {
    const { answers, status, stderr } = await session([HELLO, GREETED, line, called("after")]);
    const refused = answers.find((one) => one.error !== undefined);
    expect(refused).toMatchObject({
      jsonrpc: "2.0",
      id,
      error: { code: -32600, message: expect.stringContaining("10 MiB") as string },
    });
    expect(answers.find((one) => one.id === "after")?.result).toMatchObject({ isError: false });
    expect({ count: answers.length, status, stderr }).toEqual({ count: 3, status: 0, stderr: "" });
  });
});

it("answers all of 400 calls that were read before the input ended", async () => {
  const calls = Array.from({ length: 400 }, (_, i) =>
    i % 40 === 0
      ? called(i, "compare", { project: "demo/support", baseline: "latest~1", candidates: ["latest"] })
      : called(i, "list_projects"),
  );
  const { answers, status, stderr } = await session([HELLO, GREETED, ...calls]);
  const ids = answers.map(({ id }) => id).filter((id) => typeof id === "number");
  expect(ids.toSorted((a, b) => a - b)).toEqual(calls.map((_, i) => i));
  expect(answers.every(({ result }) => result !== undefined)).toBe(true);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});

function openTurns() {
  const sent: unknown[] = [];
  const below = {
    start: () => Promise.resolve(),
    close: () => Promise.resolve(),
    send: (message: unknown) => Promise.resolve(void sent.push(message)),
    onmessage: undefined as ((message: unknown) => void) | undefined,
  };
  const wire = inTurns(below);
  const seen: unknown[] = [];
  Object.assign(wire, {
    onmessage: (message: Message) => seen.push(message.id ?? "notification"),
  });
  void wire.start();
  const get = (id: number) => below.onmessage?.(called(id));
  const answer = (id: number) => wire.send({ jsonrpc: "2.0", id, result: {} });
  const cancel = (requestId: number) =>
    below.onmessage?.({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } });
  return { wire, seen, get, answer, cancel };
}

describe("requests in turns", () => {
  it("run sixteen at a time, whichever ends first", async () => {
    const { seen, get, answer } = openTurns();
    for (let id = 0; id < 40; id++) get(id);
    expect(seen).toHaveLength(16);
    await answer(9);
    await answer(3);
    expect(seen.slice(16)).toEqual([16, 17]);
  });

  it("are forgotten when they are cancelled, before they run or while they do", async () => {
    const { wire, seen, get, answer, cancel } = openTurns();
    for (let id = 0; id < 20; id++) get(id);
    cancel(18);
    cancel(0);
    expect(seen.slice(16)).toEqual(["notification", "notification", 16]);
    let isIdle = false;
    wire.whenAnswered(() => (isIdle = true));
    for (let id = 1; id < 20; id++) {
      expect(isIdle).toBe(false);
      await answer(id);
    }
    expect([isIdle, seen.includes(18)]).toEqual([true, false]);
  });
});
