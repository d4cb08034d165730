import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createKey } from "../../src/http/keys/keys-file.ts";
import { openEngine } from "../../src/index.ts";
import { builtProgram } from "../support/built-program.ts";
import { ended, exampleCalls, temporaryFolder } from "./command.ts";

const { folder, remove } = temporaryFolder();
afterAll(remove);

beforeAll(async () => {
  await createKey(path.join(folder, "keys.json"), { user: "ann", projects: ["acme/*"] });
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
  "serve --db evals.duckdb --keys keys.json --port 0",
  "view --db evals.duckdb --port 0",
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
    // A service that has begun answers, and ends when it is told to.
    const answers: number[] = [];
    child.stdout.on("data", (said: Buffer) => {
      const url = /^evalcube (?:listens on|view at) (http:\/\/[^/\s]+)/.exec(String(said))?.[1];
      if (url === undefined) return;
      void fetch(`${url}/view/`)
        .then(({ status: answered }) => answers.push(answered))
        .catch(() => answers.push(0))
        .finally(() => child.kill("SIGTERM"));
    });
    const { status, stderr } = await ended(child);
    expect(answers.filter((answered) => answered !== 200)).toEqual([]);
    expect(status === 0 || TOLD.test(stderr), stderr).toBe(true);
    expect(status).toBeOneOf(line.startsWith("check") ? [0, 1, 4] : [0, 1]);
  },
);
