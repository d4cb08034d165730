import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createHttpHandler, EvalcubeError, openEngine, RequestError, type Engine } from "../../src/index.ts";
import { generateKey } from "../../src/http/keys/key-ring.ts";
import { renderReport } from "../../src/view-exports.ts";
import { temporaryFolder } from "../cli/command.ts";
import { evalcubeHere } from "../cli/in-process.ts";
import { basic } from "../http/running-service.ts";
import { connect, lineTransport, startMcp } from "../mcp/clients.ts";
import { CALLS, PROJECT } from "./calls.ts";
import { COMMANDS, REQUESTS, TOOL_CALLS, TWO_FAULTS } from "./requests.ts";

/*
 * What each way into the product says of the same requests is written down: every word and place of an error, and what
 * tells an answer from another. UPDATE_DOORS=1 writes it anew.
 */

const { folder, remove } = temporaryFolder();
const db = path.join(folder, "qa.duckdb");
let engine: Engine;

beforeAll(async () => {
  const loading = await openEngine({ path: db });
  await loading.ingestCalls(CALLS);
  await loading.close();
  engine = await openEngine({ threads: 1 });
  await engine.ingestCalls(CALLS);
});

afterAll(async () => {
  await engine.close();
  remove();
});

type Kind = keyof typeof REQUESTS;
type Ask = (request: unknown) => Promise<unknown>;
type Untyped = (...given: readonly unknown[]) => Promise<unknown>;

/** What of an answer the names in its request decide: its evaluations, how many rows it counts, and what it says. */
function toldOf(answer: string): string {
  const { total_rows, ...members } = (JSON.parse(answer) ?? {}) as Record<string, unknown>;
  const { warnings, notes } = members;
  const ids = [...new Set(Array.from(answer.matchAll(/"((?:run|nowhere)-?\d?)"/g), ([, id]) => id))];
  return `answer ${JSON.stringify({ ids, total_rows, warnings, notes })}`;
}

async function told(work: () => Promise<unknown>): Promise<string> {
  try {
    const answer = await work();
    return toldOf(typeof answer === "string" ? answer : JSON.stringify(answer));
  } catch (error) {
    if (error instanceof EvalcubeError && error.code === "not_found") return `not_found ${error.message}`;
    if (!(error instanceof RequestError)) throw error;
    return `${error.kind} ${JSON.stringify(error.issues)}`;
  }
}

async function toldOfAll(
  asked: Readonly<Partial<Record<Kind, readonly unknown[]>>>,
  ask: (kind: Kind, request: unknown) => Promise<string>,
): Promise<string> {
  const lines: string[] = [];
  for (const [kind, requests] of Object.entries(asked) as [Kind, readonly unknown[]][])
    for (const request of requests)
      lines.push(`${kind} ${JSON.stringify(request)}`, `  ${await ask(kind, request)}`);
  return `${lines.join("\n")}\n`;
}

function written(name: string, text: string): string {
  const file = path.join(import.meta.dirname, `${name}.txt`);
  if (process.env["UPDATE_DOORS"] !== undefined) writeFileSync(file, text);
  return readFileSync(file, "utf8");
}

function asks(method: keyof Engine): Ask {
  const asked = engine[method] as Untyped;
  return (request) => asked(PROJECT, request);
}

async function runCommand(args: readonly string[], input: string): Promise<string> {
  const { status, stdout, stderr } = await evalcubeHere([...args, "--db", db], input);
  const printed = stdout.startsWith("{") ? ` ${toldOf(stdout.replaceAll("\n", " "))}` : "";
  const said = stderr.replaceAll(folder, ".").replace(/^report: \d+ kB/m, "report: # kB");
  return `${status}${printed} ${JSON.stringify(said)}`;
}

it("the library says of each request what is written down", async () => {
  const library: Readonly<Record<Kind, Ask>> = {
    query: asks("queryEvalResultsJson"),
    compare: asks("compareEvaluations"),
    leaderboard: asks("leaderboard"),
    history: asks("history"),
    items: asks("items"),
    steps: asks("steps"),
    agreement: asks("agreement"),
    explain: asks("explain"),
    table: async (request) => {
      const warnings: string[] = [];
      const table = await engine.queryTable(PROJECT, request as object, {
        onWarning: (one) => void warnings.push(one),
      });
      return { warnings, columns: table.schema.names, rows: table.numRows };
    },
  };
  const ask = (kind: Kind, request: unknown) => told(() => library[kind](request));
  const text = (await toldOfAll(REQUESTS, ask)) + (await toldOfAll(TWO_FAULTS, ask));
  expect(text).toBe(written("library", text));
});

it("a report says of names what is written down", async () => {
  const options = [
    {},
    { evaluations: ["nightly", "nightly~1"] },
    { evaluations: ["nobody"] },
    { baseline: "latest~99" },
  ];
  const lines: string[] = [];
  for (const one of options)
    lines.push(
      JSON.stringify(one),
      await told(async () => ({ html: await renderReport(engine, PROJECT, one) })),
    );
  const text = `${lines.join("\n")}\n`;
  expect(text).toBe(written("report", text));
});

it("the service says of each request what is written down", async () => {
  const { key, entry } = generateKey("ann", ["*"], new Date(0));
  const handle = createHttpHandler(engine, { keys: { version: 1, keys: [entry] } });
  const headers = { authorization: basic(key), "content-type": "application/json" };
  const ask = async (kind: Kind, request: unknown) => {
    if (kind === "table" || kind === "explain") return "not asked";
    const body = JSON.stringify(request);
    const url = `http://localhost/v2/${PROJECT}/eval_results/${kind}`;
    const response = await handle(new Request(url, { method: "POST", headers, body }));
    const answer = await response.text();
    return `${response.status} ${response.ok ? toldOf(answer) : answer}`;
  };
  const text = (await toldOfAll(REQUESTS, ask)) + (await toldOfAll(TWO_FAULTS, ask));
  await handle.close();
  expect(text).toBe(written("service", text));
});

it("the command says of each request what is written down", async () => {
  const names: Readonly<Record<Kind, readonly string[] | null>> = {
    query: ["query", "-"],
    compare: ["compare", "-", "--format", "json"],
    leaderboard: ["leaderboard", "-", "--format", "json"],
    history: null,
    items: ["items", "-", "--format", "json"],
    steps: ["steps", "-", "--format", "json"],
    agreement: ["agreement", "-", "--format", "json"],
    explain: ["explain", "-"],
    table: ["export", "-", "--format", "csv", "--out", "-"],
  };
  const ofRequests = await toldOfAll(REQUESTS, async (kind, request) => {
    const args = names[kind];
    return args === null ? "not asked" : runCommand(args, JSON.stringify(request));
  });
  const ofFlags: string[] = [];
  for (const args of COMMANDS) ofFlags.push(args.join(" "), `  ${await runCommand(args, "")}`);
  const text = `${ofRequests}${ofFlags.join("\n")}\n`;
  expect(text).toBe(written("command", text));
});

it("tools of agents say of each call what is written down", async () => {
  const { stdin, stdout, ended } = startMcp(["--db", db]);
  const asker = await connect("2025-11-25", lineTransport(stdin, stdout));
  const lines: string[] = [];
  for (const [tool, given] of TOOL_CALLS) {
    const { isError, text, structured } = await asker.call(tool, given);
    const { warnings, request } = (structured ?? {}) as Record<string, unknown>;
    const says = isError
      ? `refused ${JSON.stringify(text)}`
      : `answer ${JSON.stringify({ warnings, request })}`;
    lines.push(`${tool} ${JSON.stringify(given)}`, `  ${says}`);
  }
  await asker.close();
  await ended;
  const text = `${lines.join("\n")}\n`;
  expect(text).toBe(written("agents", text));
});
