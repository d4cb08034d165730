import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, readlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { openEngine, type Engine } from "../../src/index.ts";
import { readSettings } from "../../src/runners/options.ts";
import { createRecorder } from "../../src/runners/recorder.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { scratchFolder, scratchPath } from "../support/scratch.ts";
import { runOn } from "../support/duckdb.ts";

const REQUEST = { evaluation_call_ids: ["e"], include_summary: true };
const CALLS = [root(), ...Array.from({ length: 2000 }, (_, n) => trial(`t${n}`, { n }, { acc: n % 2 }))];

/** The descriptors of this process on a file or what lies beside it. */
function held(file: string): string[] {
  return readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${fd}`);
      return target.startsWith(file) ? [target] : [];
    } catch {
      // It was closed meanwhile.
      return [];
    }
  });
}

/** Frees what nobody reaches any more, with the files that it holds. */
async function collectGarbage(): Promise<void> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  for (let n = 0; n < 3; n++) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Whether another process can open the file for writing now. */
function isFree(file: string): boolean {
  const program = `const { DuckDBInstance } = require("@duckdb/node-api");
    DuckDBInstance.create(process.argv[1]).then(() => console.log("free"), () => console.log("locked"));`;
  return execFileSync(process.execPath, ["-e", program, file], { encoding: "utf8" }).trim() === "free";
}

async function leftEarly(engine: Engine): Promise<void> {
  for await (const piece of engine.streamEvalResults(PROJECT, REQUEST)) if (piece.length > 0) break;
}

const USES: Readonly<Record<string, (engine: Engine) => Promise<unknown>>> = {
  "nothing at all": () => Promise.resolve(),
  "a load": (engine) => engine.ingestCalls(CALLS),
  "an answer": async (engine) => {
    await engine.ingestCalls(CALLS);
    await engine.queryEvalResults(PROJECT, REQUEST);
  },
  "answers side by side": async (engine) => {
    await engine.ingestCalls(CALLS);
    await Promise.all(
      Array.from({ length: 5 }, (_, offset) => engine.queryEvalResults(PROJECT, { ...REQUEST, offset })),
    );
  },
  "a stream that was left early": async (engine) => {
    await engine.ingestCalls(CALLS);
    await leftEarly(engine);
  },
  "a stream that the close ended": async (engine) => {
    await engine.ingestCalls(CALLS);
    await engine.streamEvalResults(PROJECT, REQUEST).next();
  },
  "a query that was aborted": async (engine) => {
    await engine.ingestCalls(CALLS);
    const controller = new AbortController();
    const asked = engine.queryEvalResults(PROJECT, REQUEST, { signal: controller.signal });
    controller.abort();
    await asked.catch(() => undefined);
  },
  "a statement that failed": async (engine) => {
    await engine.ingestCalls(CALLS);
    await expect(engine.sql(PROJECT, "SELECT error('no')")).rejects.toThrow("no");
  },
  "an export": async (engine) => {
    await engine.ingestCalls(CALLS);
    const out = path.join(scratchFolder(), "out.parquet");
    await engine.exportResults(PROJECT, REQUEST, { path: out, format: "parquet" });
  },
  "a load that failed": async (engine) => {
    const wrong = JSON.parse('[{"id":1}]') as [];
    await engine.ingestCalls([...CALLS, ...wrong]).catch(() => undefined);
  },
};

describe.runIf(existsSync("/proc/self/fd"))("an engine that has closed", () => {
  it.each(Object.entries(USES))("holds nothing of its file after %s", async (_, use) => {
    const file = scratchPath();
    for (const options of [{}, { readOnly: true }]) {
      const engine = await openEngine({ path: file, threads: 1, ...options });
      if (!("readOnly" in options)) await use(engine);
      else await engine.queryEvalResults(PROJECT, REQUEST).catch(() => undefined);
      await engine.close();
      expect(held(file)).toEqual([]);
    }
  });

  it("takes no lock from the next one of its process, also once it is collected as garbage", async () => {
    const file = scratchPath();
    await (await openEngine({ path: file, threads: 1 })).close();
    const recorder = createRecorder(
      readSettings({ db: file, project: PROJECT, run: "r" }, scratchFolder()),
      "x",
    );
    recorder.add({ file: "a.ts", name: "a" }, () => ({
      row: 1,
      output: 1,
      scores: { ok: true },
      leftOut: 0,
    }));
    await recorder.end();
    const engine = await openEngine({ path: file, threads: 1 });
    await collectGarbage();
    expect(isFree(file)).toBe(false);
    await engine.close();
    expect(isFree(file)).toBe(true);
  });

  it.each<[string, (engine: Engine, file: string) => Promise<unknown>]>([
    ["a load", (engine, file) => engine.ingestCalls(file)],
    ["an import", (engine, file) => engine.importEvaluations(file, { project: PROJECT })],
    [
      "an import of its folder",
      (engine, file) => engine.importEvaluations(path.dirname(file), { project: PROJECT }),
    ],
    [
      "an export",
      (engine, file) => engine.exportResults(PROJECT, REQUEST, { path: file, format: "parquet" }),
    ],
    ["a copy", (engine, file) => engine.backup(file)],
    ["a second engine", (_, file) => openEngine({ path: file, threads: 1 })],
    ["a second reader", (_, file) => openEngine({ path: file, threads: 1, readOnly: true })],
  ])("keeps its lock where %s is given its own file", async (_, use) => {
    const file = scratchPath();
    const engine = await openEngine({ path: file, threads: 1 });
    await engine.ingestCalls(CALLS);
    await use(engine, file).catch(() => undefined);
    await collectGarbage();
    expect(isFree(file)).toBe(false);
    await engine.close();
  });

  it("leaves the lock of another reader of its process", async () => {
    const file = scratchPath();
    await (await openEngine({ path: file, threads: 1 })).close();
    const [one, other] = await Promise.all(
      [1, 2].map(() => openEngine({ path: file, threads: 1, readOnly: true })),
    );
    await one?.close();
    await collectGarbage();
    expect(isFree(file)).toBe(false);
    await other?.close();
    expect(isFree(file)).toBe(true);
  });

  it.each<[string, (file: string) => Promise<unknown>]>([
    ["another program's", (file) => runOn(file, "CREATE TABLE mine (n INTEGER)")],
    ["a newer", (file) => writable(file, "UPDATE evalcube_format SET version = 9999")],
    [
      "no",
      async (file) => writeFileSync(file, "this is a letter to a friend, and no database at all".repeat(500)),
    ],
    ["a damaged", damaged],
  ])("holds nothing where it could not open %s database", async (_, make) => {
    const file = scratchPath();
    await make(file);
    for (const readOnly of [false, true]) {
      await expect(openEngine({ path: file, threads: 1, readOnly })).rejects.toMatchObject({
        code: expect.any(String) as string,
      });
      expect(held(file)).toEqual([]);
    }
  });
});

async function writable(file: string, statement: string): Promise<void> {
  await (await openEngine({ path: file, threads: 1 })).close();
  await runOn(file, statement);
}

async function damaged(file: string): Promise<void> {
  await (await openEngine({ path: file, threads: 1 })).close();
  const bytes = readFileSync(file);
  bytes.fill(7, 12_288);
  writeFileSync(file, bytes);
}
