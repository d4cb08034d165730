import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Worker } from "node:worker_threads";
import { readLargeFiles } from "../../src/duckdb/load-thread/read-large-files.ts";
import { openEngine, type Engine } from "../../src/index.ts";
import { noCounts } from "../../src/ingest/counts.ts";
import { objectSource } from "../../src/ingest/formats/record-source.ts";
import { DEFAULT_CONVENTIONS as conventions } from "../../src/model/conventions.ts";
import { noClickHouse, scratchDatabase, sharedClickHouse } from "../support/clickhouse-server.ts";
import { call, ndjson, PROJECT, root, trial } from "../support/records.ts";
import { refusal } from "../support/refusal.ts";
import { scratchFolder } from "../support/scratch.ts";
import { because } from "../support/skipped.ts";

const TRIALS = 5000;
const FILLING = "x".repeat(1800);

/** More than 8 MiB: trials whose calls lie far apart, and some that are changed later. */
function records(): readonly object[] {
  const trials = Array.from({ length: TRIALS }, (_, i) =>
    trial(`t${i}`, { i: i % 500, text: FILLING }, { ok: i % 3 > 0, ü: 1.0 + i / 8 }, { parent_id: "e" }),
  );
  const below = trials.map((_, i) => call(`p${i}`, { parent_id: `t${i}`, op_name: "model.predict" }));
  const later = trials.slice(0, 7).map((one) => ({ ...one, exception: "failed" }));
  return [...below, ...trials, root("e"), ...later];
}

function written(lines: readonly object[], last = ""): string {
  const file = path.join(scratchFolder(), "calls.ndjson");
  writeFileSync(file, `${ndjson(lines)}${last}`);
  return file;
}

function answer(engine: Engine) {
  return engine.queryEvalResults(PROJECT, {
    evaluation_call_ids: ["e"],
    limit: 20,
    include_summary: true,
  });
}

describe.skipIf(noClickHouse !== null)(`a large file on ClickHouse${because(noClickHouse)}`, () => {
  const engines: Engine[] = [];
  const openOnServer = async () => {
    const url = await sharedClickHouse();
    const engine = await openEngine({ clickhouse: { url, database: scratchDatabase(url) } });
    engines.push(engine);
    return engine;
  };
  const open = async () => {
    const engine = await openEngine({ path: ":memory:" });
    engines.push(engine);
    return engine;
  };
  afterEach(async () => {
    vi.restoreAllMocks();
    await Promise.all(engines.splice(0).map((engine) => engine.close()));
  });

  it("is read in a thread, which ends with the engine at the latest", async () => {
    const [begun, ended] = [vi.spyOn(Worker.prototype, "unref"), vi.spyOn(Worker.prototype, "terminate")];
    const engine = await openOnServer();
    await engine.ingestCalls(written(records()));
    await engine.close();
    expect(begun).toHaveBeenCalledOnce();
    expect(ended).toHaveBeenCalledOnce();
  });

  it("is stored as in a file", async () => {
    const [file, server, inMemory] = [written(records()), await openOnServer(), await open()];
    const progress: number[] = [];
    const result = await server.ingestCalls(file, { onProgress: ({ records: read }) => progress.push(read) });
    expect(result).toEqual(await inMemory.ingestCalls(file));
    expect(progress.at(-1)).toBe(2 * TRIALS + 8);
    expect(await answer(server)).toEqual(await answer(inMemory));
  });

  it("is stored as a whole or not at all", async () => {
    const engine = await openOnServer();
    const file = written(records(), "{oops");
    const error = await refusal(engine.ingestCalls(file));
    expect(error).toMatchObject({ source: file, position: 2 * TRIALS + 9, path: [] });
    const aborter = new AbortController();
    const stopping = engine.ingestCalls(file, {
      signal: aborter.signal,
      onProgress: () => aborter.abort(new Error("enough")),
    });
    await expect(stopping).rejects.toThrow("enough");
    const broken = engine.ingestCalls(file, {
      onProgress: () => {
        throw new Error("the bar is broken");
      },
    });
    await expect(broken).rejects.toThrow("the bar is broken");
    const { rejected, stored, unchanged } = await engine.ingestCalls(file, { onInvalid: "skip" });
    expect(rejected).toMatchObject([{ source: file, position: 2 * TRIALS + 9 }]);
    expect([stored, unchanged]).toEqual([2 * TRIALS + 8, 0]);
  });

  it.each([
    ["may be started", () => Promise.reject(new Error("not allowed here")), "not allowed here"],
    ["gets as far as a batch", () => Promise.resolve("process.exit(3);"), "it ended with status 3"],
    ["can be made", () => Promise.resolve(3 as never), "must be"],
  ])("is read in the process itself, which is said once, where no thread %s", async (_how, code, reason) => {
    const warnings: unknown[] = [];
    const read = readLargeFiles({
      code,
      conventions,
      closing: new AbortController().signal,
      onWarning: (warning) => warnings.push(warning),
    });
    for (const id of ["a", "b"]) {
      const source = { ...objectSource([root(id)], id), isNdjsonFile: true, totalBytes: 2 ** 30 };
      const { first } = await read("calls", { source, options: {}, alone: false, counts: noCounts() });
      expect(first).toHaveLength(1);
    }
    expect(warnings).toEqual([{ code: "no_load_thread", message: expect.stringContaining(reason) }]);
  });
});
