import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { copyFileSync, existsSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openEngine, StoreError, type Engine } from "../../src/index.ts";
import { runOn } from "../support/duckdb.ts";
import { EVALUATION, PROJECT, root, trial } from "../support/records.ts";
import { refusal } from "../support/refusal.ts";
import { scratchEngine, scratchFolder, scratchPath } from "../support/scratch.ts";

const RECORDS = [root(), trial("t1", { q: 1 }, { acc: 0.5 }), trial("t2", { q: 2 }, { acc: true })];
const REQUEST = {
  evaluation_call_ids: [EVALUATION],
  include_summary: true,
  include_raw_data_rows: true,
  sort_by: [{ field: "scores.acc" }],
} as const;

const FORMAT_TABLE = "CREATE TABLE evalcube_format (format VARCHAR, version INTEGER)";

/** Names and bytes of everything in a folder. */
function contents(folder: string): Record<string, string> {
  const hash = (name: string) =>
    createHash("sha256")
      .update(readFileSync(path.join(folder, name)))
      .digest("hex");
  return Object.fromEntries(readdirSync(folder).map((name) => [name, hash(name)]));
}

/** How opening the file fails, and whether its folder is as it was. */
async function opening(file: string, readOnly = false) {
  const before = contents(path.dirname(file));
  const error = await refusal(openEngine({ path: file, readOnly }));
  expect(error).toBeInstanceOf(StoreError);
  const { code, message } = error;
  return {
    code,
    message,
    untouched: JSON.stringify(contents(path.dirname(file))) === JSON.stringify(before),
  };
}

function refusedWith(code: string, advice: RegExp) {
  const message: unknown = expect.stringMatching(advice);
  return { code, message, untouched: true };
}

async function answerOf(engine: Engine): Promise<string> {
  return engine.queryEvalResultsJson(PROJECT, REQUEST);
}

async function storedFile(): Promise<{ file: string; answer: string }> {
  const file = scratchPath();
  const engine = await openEngine({ path: file, threads: 1 });
  await engine.ingestCalls(RECORDS);
  const answer = await answerOf(engine);
  await engine.close();
  return { file, answer };
}

describe("a database file", () => {
  it("is made when it is not there", async () => {
    const file = scratchPath();
    const engine = await scratchEngine({ path: file });
    expect(existsSync(file)).toBe(true);
    expect(await engine.listEvaluations(PROJECT)).toEqual([]);
  });

  it("keeps everything until it is opened again", async () => {
    const { file, answer } = await storedFile();
    const engine = await scratchEngine({ path: file });
    expect(await answerOf(engine)).toBe(answer);
    expect(await engine.ingestCalls(RECORDS)).toMatchObject({ stored: 0, unchanged: 3 });
    expect(await engine.ingestCalls([trial("t3", { q: 3 }, { acc: 1 })])).toMatchObject({ stored: 1 });
    expect(await engine.listEvaluations(PROJECT)).toMatchObject([{ id: EVALUATION, trial_count: 3 }]);
  });

  it("has the whole of a load that fills the log when the load is acknowledged", async () => {
    const file = scratchPath();
    const engine = await scratchEngine({ path: file });
    const load = (name: string, length: number) =>
      engine.ingestCalls([root(name), trial(`${name}-t`, { q: "x".repeat(length) })]);
    await load("small", 1000);
    expect(statSync(`${file}.wal`).size).toBeGreaterThan(1000);
    await load("large", 18 * 2 ** 20);
    expect(existsSync(`${file}.wal`) ? statSync(`${file}.wal`).size : 0).toBe(0);
  });

  it("answers readOnly, and is not written to", async () => {
    const { file, answer } = await storedFile();
    const before = contents(path.dirname(file));
    const engine = await openEngine({ path: file, readOnly: true });
    expect(await answerOf(engine)).toBe(answer);
    for (const writing of [
      () => engine.ingestCalls(RECORDS),
      () => engine.ingestRows([{ project_id: PROJECT, val: 1 }]),
      () => engine.deleteCalls(PROJECT, ["t1"]),
    ]) {
      expect(await refusal(writing())).toMatchObject({ code: "read_only" });
    }
    expect(await answerOf(engine)).toBe(answer);
    await engine.close();
    expect(contents(path.dirname(file))).toEqual(before);
  });

  it("can be read by two engines at a time, both readOnly", async () => {
    const { file, answer } = await storedFile();
    const engines = [
      await scratchEngine({ path: file, readOnly: true }),
      await scratchEngine({ path: file, readOnly: true }),
    ];
    for (const engine of engines) expect(await answerOf(engine)).toBe(answer);
  });

  it("does not meet another that is open in the same process", async () => {
    const [a, b] = [
      await scratchEngine({ path: scratchPath() }),
      await scratchEngine({ path: scratchPath() }),
    ];
    await Promise.all([a.ingestCalls(RECORDS), b.ingestCalls([trial("other", 1)])]);
    expect(await a.listEvaluations(PROJECT)).toMatchObject([{ trial_count: 2 }]);
    expect(await b.listEvaluations(PROJECT)).toMatchObject([{ trial_count: 1 }]);
  });
});

describe("a new database", () => {
  it("is a file of small blocks", async () => {
    const { file } = await storedFile();
    expect(await runOn(file, "SELECT block_size FROM pragma_database_size()")).toEqual([[65_536n]]);
  });
});

describe("a file that is refused, and left as it is", () => {
  it("has a newer format", async () => {
    const { file } = await storedFile();
    await runOn(file, "UPDATE evalcube_format SET version = 9999");
    expect(await opening(file)).toEqual(refusedWith("newer_database", /update evalcube/));
    expect(await opening(file, true)).toEqual(refusedWith("newer_database", /update evalcube/));
  });

  it("is a DuckDB database of another program", async () => {
    const file = scratchPath();
    await runOn(file, "CREATE TABLE orders (id INTEGER)", "INSERT INTO orders VALUES (1)");
    expect(await opening(file)).toEqual(refusedWith("foreign_database", /choose another path/));
    expect(await opening(file, true)).toEqual(refusedWith("foreign_database", /choose another path/));
  });

  it("is another program's, with a log that has not been written into it", async () => {
    const file = scratchPath();
    await runOn(file, "CREATE TABLE orders (id INTEGER)");
    await runOn(file, "PRAGMA disable_checkpoint_on_shutdown", "INSERT INTO orders VALUES (1)");
    expect(existsSync(`${file}.wal`)).toBe(true);
    expect(await opening(file)).toEqual(refusedWith("foreign_database", /choose another path/));
  });

  it("has a format table of another program", async () => {
    const file = scratchPath();
    await runOn(file, FORMAT_TABLE, "INSERT INTO evalcube_format VALUES ('other', 1)");
    expect(await opening(file)).toEqual(refusedWith("foreign_database", /choose another path/));
  });

  it.each([
    ["a text", Buffer.from("id,score\n1,0.5\n".repeat(2000))],
    ["a short text", Buffer.from("hello")],
    ["zeros", Buffer.alloc(20_000)],
  ])("is no database but %s", async (_name, bytes) => {
    const file = scratchPath();
    writeFileSync(file, bytes);
    expect(await opening(file)).toEqual(refusedWith("foreign_database", /choose another path/));
  });

  it("is cut off in the middle", async () => {
    const { file } = await storedFile();
    writeFileSync(file, readFileSync(file).subarray(0, 9000));
    expect(await opening(file)).toEqual(refusedWith("damaged_database", /restore a backup/));
  });

  it("is not there, and is asked for readOnly", async () => {
    expect(await opening(scratchPath(), true)).toEqual(refusedWith("no_database", /load something first/));
  });

  it("would be in a folder that is not there", async () => {
    const error = await refusal(openEngine({ path: path.join(scratchFolder(), "none", "evals.duckdb") }));
    expect(error).toMatchObject({ code: "unusable_database" });
    expect(error.message).toMatch(/there is no folder .*none; make it first/);
  });

  it("is open in another process, until that ends", async () => {
    const { file, answer } = await storedFile();
    const hold = `import { DuckDBInstance } from "@duckdb/node-api";
      await DuckDBInstance.create(process.argv[1]);
      console.log("held");
      setInterval(() => {}, 1000);`;
    const holder = spawn(process.execPath, ["--input-type=module", "-e", hold, file], {
      cwd: import.meta.dirname,
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void holder.kill("SIGKILL"));
    await once(holder.stdout, "data");
    expect(await opening(file)).toEqual(
      refusedWith("locked_database", /in use by another process \(\d+\)\. Stop it/),
    );
    expect(await opening(file, true)).toEqual(
      refusedWith("locked_database", /in use by another process \(\d+\)\. Stop it/),
    );
    holder.kill("SIGKILL");
    await once(holder, "exit");
    expect(await answerOf(await scratchEngine({ path: file }))).toBe(answer);
  });
});

describe("an engine", () => {
  it("refuses everything once it is closed", async () => {
    const engine = await openEngine();
    await engine.ingestCalls(RECORDS);
    await engine.close();
    for (const use of [
      () => engine.ingestCalls(RECORDS),
      () => engine.ingestRows([]),
      () => engine.deleteCalls(PROJECT, ["t1"]),
      () => engine.queryEvalResults(PROJECT, REQUEST),
      () => engine.queryEvalResultsJson(PROJECT, REQUEST),
      () => engine.explain(PROJECT, REQUEST),
      () => engine.listEvaluations(PROJECT),
    ]) {
      expect(await refusal(use())).toMatchObject({ code: "closed" });
    }
  });

  it("can be closed twice", async () => {
    const engine = await openEngine();
    await engine.close();
    await expect(engine.close()).resolves.toBeUndefined();
  });

  it("takes a memory limit and a number of threads, and gives the same answers", async () => {
    const { file, answer } = await storedFile();
    for (const [i, options] of [
      { memoryLimit: "256MiB" },
      { threads: 2 },
      { memoryLimit: "1GB", threads: 4 },
    ].entries()) {
      const copy = `${file}.${i}`;
      copyFileSync(file, copy);
      const engine = await openEngine({ path: copy, ...options });
      expect(await answerOf(engine)).toBe(answer);
      await engine.close();
    }
  });

  it.each([
    { memoryLimit: "lots" },
    { memoryLimit: "80%" },
    { memoryLimit: "" },
    { threads: 0 },
    { threads: -1 },
    { threads: 1.5 },
    { path: "" },
  ])("refuses %o", async (options) => {
    const [name = ""] = Object.keys(options);
    const refused = await refusal(openEngine(options));
    expect(refused).toMatchObject({ code: "invalid_option" });
    expect(refused.message).toContain(name);
  });
});
