import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine, type Engine } from "../../src/index.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { scratchFolder } from "../support/scratch.ts";

const REQUEST = { evaluation_call_ids: ["e"] };
const RECORDS = [
  root("e"),
  ...Array.from({ length: 20_000 }, (_, i) =>
    trial(`t${i}`, { i }, {}, { output: { output: "x".repeat(3000) } }),
  ),
];

const OPEN = `import { DuckDBInstance } from "@duckdb/node-api";
  await DuckDBInstance.create(process.argv[1]);
  console.log("opened");`;

/** What another process says that opens the file for writing. */
async function openedElsewhere(file: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", OPEN, file], {
    cwd: import.meta.dirname,
  }).catch((error: Error) => ({ stdout: error.message }));
  return stdout.trim();
}

/** Reads the first piece and leaves. */
async function readOne(pieces: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of pieces) return;
}

/** Aborts when the first piece is there. */
async function abortAtOne(read: (signal: AbortSignal) => AsyncIterable<unknown>): Promise<void> {
  const stop = new AbortController();
  await expect(
    (async () => {
      for await (const _ of read(stop.signal)) stop.abort();
    })(),
  ).rejects.toThrow(/aborted/);
}

const uses: Readonly<Record<string, (engine: Engine) => Promise<unknown>>> = {
  "batches of a table were left": (engine) => readOne(engine.queryBatches(PROJECT, REQUEST)),
  "batches of a table were aborted": (engine) =>
    abortAtOne((signal) => engine.queryBatches(PROJECT, REQUEST, { signal })),
  "batches of a statement were left": (engine) => readOne(engine.sqlBatches(PROJECT, "SELECT * FROM trials")),
  "a result was too large": (engine) =>
    expect(engine.sql(PROJECT, "FROM trials", [], { maxResultBytes: 1000 })).rejects.toMatchObject({
      code: "result_too_large",
    }),
  "a statement was exported": (engine) =>
    engine.exportSql(PROJECT, "FROM trials", [], { format: "csv", path: `${scratchFolder()}/trials.csv` }),
  "a stream refused an export": (engine) =>
    expect(
      engine.exportResults(PROJECT, REQUEST, {
        format: "jsonl",
        stream: new WritableStream({ write: () => Promise.reject(new Error("full")) }),
      }),
    ).rejects.toThrow("full"),
};

describe("once an engine is closed, its file is free for other processes, though", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "evalcube-test-"));
  const file = path.join(folder, "evals.duckdb");
  beforeAll(async () => {
    const engine = await openEngine({ path: file });
    await engine.ingestCalls(RECORDS);
    await engine.close();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(Object.entries(uses))("%s", async (_, use) => {
    const engine = await openEngine({ path: file });
    await use(engine);
    await engine.close();
    expect(await openedElsewhere(file)).toBe("opened");
  });
});
