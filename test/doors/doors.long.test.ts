import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createHttpHandler, openEngine, RequestError, type Engine } from "../../src/index.ts";
import { generateKey } from "../../src/http/keys/key-ring.ts";
import { renderReport } from "../../src/view-exports.ts";
import { temporaryFolder } from "../cli/command.ts";
import { evalcubeHere } from "../cli/in-process.ts";
import { basic } from "../http/running-service.ts";
import { connect, lineTransport, startMcp } from "../mcp/clients.ts";
import { CALLS, PROJECT } from "./calls.ts";
import { COMMANDS, REQUESTS, TOOL_CALLS } from "./requests.ts";

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
    if (!(error instanceof RequestError)) throw error;
    return `${error.kind} ${JSON.stringify(error.issues)}`;
  }
}

async function toldOfAll(ask: (kind: Kind, request: unknown) => Promise<string>): Promise<string> {
  const lines: string[] = [];
  for (const [kind, requests] of Object.entries(REQUESTS) as [Kind, readonly unknown[]][])
    for (const request of requests)
      lines.push(`${kind} ${JSON.stringify(request)}`, `  ${await ask(kind, request)}`);
  return `${lines.join("\n")}\n`;
}

function expectWritten(name: string, text: string): void {
  const file = path.join(import.meta.dirname, `${name}.txt`);
  if (process.env["UPDATE_DOORS"] !== undefined) writeFileSync(file, text);
  expect(text).toBe(readFileSync(file, "utf8"));
}

it("the library says of each request what is written down", async () => {
  const ask = (method: keyof Engine): Ask => {
    const asked = engine[method] as Untyped;
    return (request) => asked(PROJECT, request);
  };
  const asks: Readonly<Record<Kind, Ask>> = {
    query: ask("queryEvalResultsJson"),
    compare: ask("compareEvaluations"),
    leaderboard: ask("leaderboard"),
    history: ask("history"),
    agreement: ask("agreement"),
    explain: ask("explain"),
    table: async (request) => {
      const warnings: string[] = [];
      const table = await engine.queryTable(PROJECT, request as object, {
        onWarning: (one) => void warnings.push(one),
      });
      return { warnings, columns: table.schema.names, rows: table.numRows };
    },
  };
  expectWritten("library", await toldOfAll((kind, request) => told(() => asks[kind](request))));
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
  expectWritten("report", `${lines.join("\n")}\n`);
});

it("the service says of each request what is written down", async () => {
  const { key, entry } = generateKey("ann", ["*"], new Date(0));
  const handle = createHttpHandler(engine, { keys: { version: 1, keys: [entry] } });
  const headers = { authorization: basic(key), "content-type": "application/json" };
  const text = await toldOfAll(async (kind, request) => {
    if (kind === "table" || kind === "explain") return "not asked";
    const body = JSON.stringify(request);
    const url = `http://localhost/v2/${PROJECT}/eval_results/${kind}`;
    const response = await handle(new Request(url, { method: "POST", headers, body }));
    const answer = await response.text();
    return `${response.status} ${response.ok ? toldOf(answer) : answer}`;
  });
  await handle.close();
  expectWritten("service", text);
});

it("the command says of each request what is written down", async () => {
  const run = async (args: readonly string[], input: string) => {
    const { status, stdout, stderr } = await evalcubeHere([...args, "--db", db], input);
    const printed = stdout.startsWith("{") ? ` ${toldOf(stdout.replaceAll("\n", " "))}` : "";
    return `${status}${printed} ${JSON.stringify(stderr.replaceAll(folder, "."))}`;
  };
  const names: Readonly<Record<Kind, readonly string[] | null>> = {
    query: ["query", "-"],
    compare: ["compare", "-", "--format", "json"],
    leaderboard: ["leaderboard", "-", "--format", "json"],
    history: null,
    agreement: ["agreement", "-", "--format", "json"],
    explain: ["explain", "-"],
    table: ["export", "-", "--format", "csv", "--out", "-"],
  };
  const ofRequests = await toldOfAll(async (kind, request) => {
    const args = names[kind];
    return args === null ? "not asked" : run(args, JSON.stringify(request));
  });
  const ofFlags: string[] = [];
  for (const args of COMMANDS) ofFlags.push(args.join(" "), `  ${await run(args, "")}`);
  expectWritten("command", `${ofRequests}${ofFlags.join("\n")}\n`);
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
  expectWritten("agents", `${lines.join("\n")}\n`);
});
