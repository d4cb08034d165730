import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openEngine, type CallRecord } from "../../src/index.ts";
import { supportCalls } from "../../src/demo/support.ts";
import { ended, evalcube, exampleCalls, start, temporaryFolder } from "../cli/command.ts";
import { until } from "../support/until.ts";
import { connect, lineTransport, startMcp, type Asker } from "./clients.ts";

function folderOf(): string {
  const { folder, remove } = temporaryFolder();
  onTestFinished(remove);
  return folder;
}

async function load(file: string, calls: Iterable<CallRecord>): Promise<void> {
  const engine = await openEngine({ path: file, threads: 1 });
  await engine.ingestCalls([...calls]);
  await engine.close();
}

/** Name, size, time and bytes of all files of a folder. */
function stateOf(folder: string): unknown {
  return readdirSync(folder)
    .toSorted()
    .map((name) => {
      const file = path.join(folder, name);
      const { size, mtimeMs } = statSync(file);
      return [name, size, mtimeMs, createHash("sha256").update(readFileSync(file)).digest("hex")];
    });
}

/** A server as a process of its own, with a connected client. */
async function started(folder: string, args: readonly string[] = []) {
  const child = start(["mcp", "--db", "evals.duckdb", ...args], folder);
  const end = ended(child);
  const asker = await connect("2025-11-25", lineTransport(child.stdin, child.stdout));
  return { child, end, asker };
}

const HEAVY = "select count(*) from range(10000000000) t(a) where a % 7 = hash(a) % 5";

describe("evalcube mcp", () => {
  it("lets others load while nobody asks, and sees what they loaded", async () => {
    const folder = folderOf();
    await load(path.join(folder, "evals.duckdb"), exampleCalls() as CallRecord[]);
    const { asker, end } = await started(folder);
    expect((await asker.call("list_projects")).structured.says).toEqual(["1 project."]);
    writeFileSync(
      path.join(folder, "more.ndjson"),
      [...supportCalls()].map((one) => JSON.stringify(one)).join("\n"),
    );
    await until("the file is free", async () => {
      const { status } = await evalcube(["ingest", "--db", "evals.duckdb", "more.ndjson"], folder);
      return status === 0;
    });
    expect((await asker.call("list_projects")).structured.says).toEqual(["2 projects."]);
    await asker.close();
    expect(await end).toMatchObject({ status: 0, stderr: "evalcube mcp: evals.duckdb, read only\n" });
  });

  it("waits for a writer, and then says who it is", async () => {
    const folder = folderOf();
    const file = path.join(folder, "evals.duckdb");
    const engine = await openEngine({ path: file, threads: 1 });
    await engine.ingestCalls(exampleCalls() as CallRecord[]);
    const { asker, end } = await started(folder);
    const refused = await asker.call("list_projects");
    expect(refused.text).toContain(`is in use by another process (${process.pid})`);
    expect(refused.isError).toBe(true);
    const waiting = asker.call("list_projects");
    await engine.close();
    expect((await waiting).structured.says).toEqual(["1 project."]);
    await asker.close();
    await end;
  });

  it.each(["SIGINT", "SIGTERM"] as const)("ends with status 0 at %s, also under a query", async (signal) => {
    const folder = folderOf();
    await load(path.join(folder, "evals.duckdb"), exampleCalls() as CallRecord[]);
    const { child, asker, end } = await started(folder);
    await asker.call("list_projects");
    void asker
      .call("sql", { statement: "select count(*) from calls a, calls b, calls c, calls d, calls e, calls f" })
      .catch(() => null);
    child.kill(signal);
    expect(await end).toMatchObject({ status: 0 });
  });

  it("says at each call that the file is not there, makes none, and answers once there is one", async () => {
    const folder = folderOf();
    const { asker, end } = await started(folder, ["--quiet"]);
    for (const tool of ["list_projects", "list_evaluations"])
      expect((await asker.call(tool)).text).toMatch(
        /^evals\.duckdb: there is no such file; evalcube ingest, import or run makes one/,
      );
    expect(readdirSync(folder)).toEqual([]);
    await load(path.join(folder, "evals.duckdb"), exampleCalls() as CallRecord[]);
    expect((await asker.call("list_projects")).structured.says).toEqual(["1 project."]);
    await asker.close();
    expect(await end).toEqual({ status: 0, stderr: "", stdout: expect.any(String) as string });
  });

  it("recovers and migrates nothing, and says what does", async () => {
    const folder = folderOf();
    writeFileSync(path.join(folder, "evals.duckdb"), "no database at all".repeat(1000));
    const before = stateOf(folder);
    const { asker, end } = await started(folder);
    expect((await asker.call("list_projects")).text).toMatch(
      /not a DuckDB database.*evalcube check --db evals\.duckdb/,
    );
    expect(stateOf(folder)).toEqual(before);
    await asker.close();
    await end;
  });

  it("ends with status 2 at a faulty command line", async () => {
    expect(await evalcube(["mcp"], folderOf())).toMatchObject({ status: 2, stdout: "" });
    expect(await evalcube(["mcp", "--db", "a", "--project", "x"], folderOf())).toMatchObject({ status: 2 });
  });
});

it("stops a statement that is cancelled, and answers nothing more about it", async () => {
  const folder = folderOf();
  const file = path.join(folder, "evals.duckdb");
  await load(file, supportCalls());
  const { transport, ended: end } = startMcp(["--db", file]);
  const answered: unknown[] = [];
  const asker = await connect("2024-10-07", transport);
  await asker.call("list_projects");
  const { onmessage } = transport;
  const heard: typeof onmessage = (message, extra) => {
    answered.push((message as { id?: unknown }).id);
    onmessage?.(message, extra);
  };
  Object.assign(transport, { onmessage: heard });
  const statement =
    "select count(*) from trials a, trials b, trials c where hash(a.trial_id || b.trial_id || c.trial_id) = 0";
  await transport.send({
    jsonrpc: "2.0",
    id: "heavy",
    method: "tools/call",
    params: { name: "sql", arguments: { statement } },
  });
  const { user: before } = process.cpuUsage();
  await until("it works", () => process.cpuUsage().user - before > 500_000);
  const cancelled = performance.now();
  await transport.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "heavy" } });
  let used = process.cpuUsage();
  await until("it rests", async () => {
    await new Promise((resolve) => setTimeout(resolve, 100));
    const { user, system } = process.cpuUsage(used);
    used = process.cpuUsage();
    return user + system < 50_000;
  });
  process.stdout.write(`at rest ${(performance.now() - cancelled).toFixed(0)} ms after it was cancelled\n`);
  expect((await asker.call("list_projects")).isError).toBe(false);
  expect(answered).not.toContain("heavy");
  await asker.close();
  expect((await end).status).toBe(0);
});

/** 2,000 take two minutes. */
const COUNT = Number(process.env["COUNT"] ?? 400);

describe("calls of any arguments", () => {
  it("are all answered, and change no byte of the folder", async () => {
    const folder = folderOf();
    const file = path.join(folder, "evals.duckdb");
    await load(file, [...supportCalls(), ...(exampleCalls() as CallRecord[])]);
    const before = stateOf(folder);
    const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000);
    process.stdout.write(`seed ${seed}\n`);
    const { transport, ended: end } = startMcp(["--db", file]);
    const asker = await connect("2025-11-25", transport);
    const random = generator(seed);
    let errors = 0;
    for (let i = 0; i < COUNT; i++) errors += Number(await anyCall(asker, random));
    process.stdout.write(`${errors} of ${COUNT} were refused\n`);
    expect(errors).toBeLessThan(COUNT);
    await asker.close();
    expect((await end).status).toBe(0);
    expect(stateOf(folder)).toEqual(before);
  });
});

type Random = (below: number) => number;

/** Numbers from a seed (mulberry32). */
function generator(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * below);
  };
}

const TOOLS = [
  "list_projects",
  "list_evaluations",
  "describe_fields",
  "leaderboard",
  "compare",
  "summary",
  "rows",
  "row",
  "sql",
];

const ARGUMENTS: Readonly<Record<string, readonly unknown[]>> = {
  project: ["demo/support", "acme/qa", "a/b", ""],
  evaluations: [["latest"], ["latest", "latest~1"], ["support"], ["model:x"], [], ["latest~9999999999"]],
  baseline: ["latest~1", "good", "previous"],
  candidates: [["latest"], ["latest", "latest~2"], ["bad"]],
  scorers: [["correct"], ["helpful", "correct"], ["x"], ["__proto__"]],
  filters: [
    ["scores.correct = false"],
    ['inputs.topic in ["returns"]'],
    ["x"],
    [{ query: {} }],
    ["row_digest contains a"],
    ["a.b.c"],
  ],
  sort_by: [["scores.correct:desc"], ["inputs.topic:difference"], [":"], ["cost"]],
  moved: [
    { field: "scores.correct" },
    { field: "scores.correct", baseline: "latest~1", direction: "down" },
    {},
  ],
  missing: [{ field: "scores.correct" }, { field: "constructor" }],
  search: ["a", "\u0000", "%", "x".repeat(2000)],
  row: ["abcdef", "-9isO7mIDVXd", "%%%%%%", "\u0000\u0000\u0000\u0000\u0000\u0000"],
  statement: [
    "select 1",
    "select * from trials",
    "select",
    "drop table trials",
    "select cast('a' as int)",
    "from read_csv('/etc/passwd')",
    "pragma version",
    HEAVY,
  ],
  parameters: [[], [1], { a: null }, [{}], ["\u0000"]],
  max_bytes: [1000, 1500, 8192, 1_000_000, 10, "x"],
  limit: [1, 10, 1000, 0, 1.5],
  margin: [0.1, 0, "a"],
  confidence: [0.9, 1, -1],
  by: ["model", "inputs.topic", ["model", "inputs.topic"], "auto"],
  where: [{ "attributes.x": 1 }, { "": [] }],
  pass_k: [[1], [0], [1, 2, 1000]],
  cluster_by: ["inputs.topic", "scores.correct"],
  lower_is_better: [["correct"]],
  cursor: ["", "x", "MCB4", null],
  include_outputs: [true, false, null],
  require_intersection: [true, null],
  constructor: [{}],
};

/** Asks a tool with some arguments that it may take, some that it may not, and any values; whether it was refused. */
async function anyCall({ call }: Asker, random: Random): Promise<boolean> {
  const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T;
  const names = Object.keys(ARGUMENTS);
  const args: Record<string, unknown> = {};
  for (const name of ["project", "evaluations", "baseline", "candidates", "row", "statement"])
    if (random(10) > 0) args[name] = random(4) > 0 ? ARGUMENTS[name]?.[0] : pick(ARGUMENTS[name] ?? []);
  const tool = pick(TOOLS);
  const fits = {
    evaluations: ["describe_fields", "leaderboard", "summary", "rows", "row"],
    baseline: ["compare"],
    candidates: ["compare"],
    row: ["row"],
    statement: ["sql"],
    project: TOOLS.slice(1),
  };
  for (const [name, tools] of Object.entries(fits))
    if (random(20) > 0 && !tools.includes(tool)) delete args[name];
  for (let more = random(4) - 1; more > 0; more--) {
    const name = pick(names);
    args[name] = random(8) === 0 ? pick(ARGUMENTS[pick(names)] ?? []) : pick(ARGUMENTS[name] ?? []);
  }
  const { isError, text, structured } = await call(tool, args);
  const reason = isError ? (structured.error.reason as string) : "";
  expect(reason, JSON.stringify([tool, args])).not.toMatch(/fault of evalcube|undefined|\[object/);
  expect(text).not.toBe("");
  return isError;
}
