import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { bundle } from "../../build/bundle.ts";
import { openEngine, type CallRecord } from "../../src/index.ts";

/*
 * How long a coding agent waits: every tool but `sql`, asked over standard input, about 48,000 trials in 12 evaluations. Prints the
 * median and the 95th percentile of each tool and of all calls, and how long the first answer of a new process takes.
 */

const EVALUATIONS = 12;
const ROWS = 4000;
const ROUNDS = Number(process.argv[2] ?? 15);
const PROJECT = "bench/agents";

function record(id: string, op_name: string, others: object): CallRecord {
  return { id, project_id: PROJECT, started_at: "", op_name, ...others };
}

function* calls(): Generator<CallRecord> {
  for (let i = 0; i < EVALUATIONS; i++) {
    const started_at = `2026-01-${String(i + 1).padStart(2, "0")}T00:00:00Z`;
    yield record(`run-${i}`, "Evaluation.evaluate", {
      started_at,
      ended_at: started_at,
      display_name: `run ${i}`,
      output: {},
    });
    for (let row = 0; row < ROWS; row++) {
      const n = (row * 7919 + i * 104729) % 1000;
      const example = {
        question: `What is ${row} times ${row % 17}? ${"Think. ".repeat(row % 20)}`,
        topic: `topic ${row % 9}`,
        level: row % 5,
      };
      const scores = { correct: n > 250 - i * 10, judge: { clarity: (n % 100) / 100, tone: (n % 7) / 7 } };
      yield record(`run-${i}-${row}`, "Evaluation.predict_and_score", {
        parent_id: `run-${i}`,
        started_at,
        inputs: { example },
        output: { output: `The answer is ${row * (row % 17)}. ${"Because. ".repeat(n % 30)}`, scores },
      });
    }
  }
}

const ASKED: readonly (readonly [tool: string, args: (round: number) => object])[] = [
  ["list_projects", () => ({})],
  ["list_evaluations", () => ({})],
  ["describe_fields", () => ({})],
  ["leaderboard", () => ({})],
  ["compare", (round) => ({ baseline: "latest~1", candidates: ["latest"], confidence: 0.9 + round / 1000 })],
  [
    "compare",
    (round) => ({
      baseline: "latest~1",
      candidates: ["latest"],
      filters: [`inputs.topic = topic ${round % 9}`],
    }),
  ],
  ["summary", (round) => ({ evaluations: [`run ${round % EVALUATIONS}`] })],
  [
    "rows",
    (round) => ({
      evaluations: ["latest~1", "latest"],
      moved: { field: "scores.correct", baseline: "latest~1", direction: "down" },
      limit: 5 + round,
    }),
  ],
  [
    "rows",
    (round) => ({
      evaluations: ["latest"],
      filters: [`inputs.level = ${round % 5}`, "scores.correct = false"],
    }),
  ],
  ["row", () => ({ row: "", evaluations: ["latest~1", "latest"] })],
];

const folder = await mkdtemp(path.join(await cacheFolder(), "evalcube-bench-"));
try {
  await bundle(path.join(folder, "dist"));
  await writeFile(path.join(folder, "package.json"), '{"type":"module"}');
  const file = path.join(folder, "evals.duckdb");
  const engine = await openEngine({ path: file });
  await engine.ingestCalls(calls());
  await engine.close();
  await measure(path.join(folder, "dist/cli/main.js"), file);
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function cacheFolder(): Promise<string> {
  const cache = path.join(import.meta.dirname, "../../node_modules/.cache");
  await mkdir(cache, { recursive: true });
  return cache;
}

async function measure(program: string, file: string): Promise<void> {
  const firsts: number[] = [];
  for (let i = 0; i < 5; i++) {
    const began = performance.now();
    const { call, end } = await started(program, file);
    await call("list_evaluations", {});
    firsts.push(performance.now() - began);
    await end();
  }
  const { call, end } = await started(program, file);
  const { data } = await call("rows", { evaluations: ["latest"], limit: 50, max_bytes: 100_000 });
  const times = new Map<string, number[]>();
  for (let round = 0; round < ROUNDS; round++)
    for (const [tool, args] of ASKED) {
      const row = data.rows?.[round]?.row_digest ?? "";
      const asked = { ...args(round), ...(tool === "row" ? { row } : {}) };
      const began = performance.now();
      await call(tool, asked);
      times.set(tool, [...(times.get(tool) ?? []), performance.now() - began]);
    }
  await end();
  process.stdout.write(`${"ms".padEnd(18)} median    p95\n`);
  for (const [tool, own] of times) process.stdout.write(line(tool, own));
  process.stdout.write(line("all", [...times.values()].flat()));
  process.stdout.write(line("first answer", firsts));
}

function line(name: string, own: readonly number[]): string {
  return `${name.padEnd(18)} ${at(own, 0.5).padStart(6)} ${at(own, 0.95).padStart(6)}\n`;
}

function at(times: readonly number[], share: number): string {
  const sorted = times.toSorted((a, b) => a - b);
  return (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0).toFixed(0);
}

interface Answer {
  readonly data: { readonly rows?: readonly { readonly row_digest: string }[] };
}

/** Starts the command, and greets it. */
async function started(program: string, file: string) {
  const child = spawn(process.execPath, [program, "mcp", "--db", file, "--quiet"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const waiting = new Map<number, (result: { structuredContent: Answer; isError?: boolean }) => void>();
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = `${rest}${chunk}`.split("\n");
    rest = lines.pop() ?? "";
    for (const text of lines) {
      const { id, result } = JSON.parse(text) as { id: number; result: never };
      waiting.get(id)?.(result);
    }
  });
  let id = 0;
  const ask = async (method: string, params: object) => {
    const own = ++id;
    const answered = new Promise<{ structuredContent: Answer; isError?: boolean }>((resolve) =>
      waiting.set(own, resolve),
    );
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: own, method, params })}\n`);
    return await answered;
  };
  await ask("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "bench", version: "1" },
  });
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  const call = async (name: string, args: object) => {
    const { structuredContent, isError } = await ask("tools/call", { name, arguments: args });
    if (isError === true) throw new Error(JSON.stringify(structuredContent));
    return structuredContent;
  };
  const end = () => new Promise((resolve) => child.once("exit", resolve) && child.stdin.end());
  return { call, end };
}
