import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openEngine } from "../../src/index.ts";
import { builtProgram } from "../support/built-program.ts";
import { ended, exampleCalls, temporaryFolder } from "./command.ts";

const { folder, remove } = temporaryFolder();
afterAll(remove);

beforeAll(async () => {
  const engine = await openEngine({ path: path.join(folder, "evals.duckdb"), threads: 1 });
  await engine.ingestCalls(exampleCalls());
  await engine.close();
  writeFileSync(
    path.join(folder, "calls.ndjson"),
    exampleCalls()
      .map((one) => JSON.stringify(one))
      .join("\n"),
  );
});

const COMMANDS = [
  "--help",
  "evaluations --db evals.duckdb",
  "compare --db evals.duckdb",
  "leaderboard --db evals.duckdb",
  "check --db evals.duckdb",
  "backup --db evals.duckdb --out copy.duckdb",
  "ingest --db other.duckdb calls.ndjson",
  "mcp --db evals.duckdb",
  "demo --db demo.duckdb",
];
const TOLD =
  /^evalcube: (?:evals\.duckdb: )?too many files are open; let it open more, such as by ulimit -n 1024(?:; nothing is known of it)?\n$/;

it.each(COMMANDS.flatMap((line) => [20, 24, 32].map((most) => [line, most] as const)))(
  "%s with %i files works, or says that they are too few",
  async (line, most) => {
    const limited = `ulimit -n ${most} && exec "$@"`;
    const args = [process.execPath, builtProgram("cli/main"), ...line.split(" ")];
    const child = spawn("sh", ["-c", limited, "sh", ...args], { cwd: folder });
    child.stdin.end();
    const { status, stderr } = await ended(child);
    expect(status === 0 || TOLD.test(stderr), stderr).toBe(true);
    expect(status).toBeOneOf(line.startsWith("check") ? [0, 1, 4] : [0, 1]);
  },
);
