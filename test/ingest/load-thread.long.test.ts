import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createLoadThread } from "../../src/duckdb/load-thread/load-thread.ts";
import { chooseLoader, createThreadLoader } from "../../src/duckdb/load-thread/thread-loader.ts";
import { openStore } from "../../src/duckdb/store.ts";
import type { StoreWarning } from "../../src/store/warning.ts";
import { ipcPathGroups } from "../../src/ingest/formats/arrow.ts";
import { parquetFiles } from "../../src/duckdb/parquet/parquet.ts";
import { openFile } from "../../src/ingest/sources/formats.ts";
import { objectSource, textSource } from "../../src/ingest/formats/record-source.ts";
import { noCounts } from "../../src/ingest/counts.ts";
import type { RecordKind } from "../../src/ingest/formats/record-kind.ts";
import type { IngestOptions } from "../../src/ingest/load.ts";
import { createLoader, type Loader } from "../../src/ingest/loader.ts";
import { createCatalog } from "../../src/ingest/keys/catalog.ts";
import { createSessionWriters } from "../../src/duckdb/load/session-writer.ts";
import { createWriterMemory } from "../../src/duckdb/load/writer-memory.ts";
import { loadThreadCode } from "../../src/load-thread-code.ts";
import { DEFAULT_CONVENTIONS as conventions } from "../../src/model/conventions.ts";
import { call, ndjson, PROJECT, root, trial } from "../support/records.ts";
import { refusal } from "../support/refusal.ts";
import { scratchFolder, scratchPath } from "../support/scratch.ts";
import { runOn } from "../support/duckdb.ts";

/** A store that is loaded in a thread, and on the main thread. */
async function openLoaders(code: () => Promise<string> = loadThreadCode, memoryLimit: string | null = null) {
  const file = scratchPath();
  const store = await openStore({ path: file, readOnly: false, threads: 2, memoryLimit });
  onTestFinished(() => store.close());
  const memory = createWriterMemory(store.memoryBytes);
  const thread = createLoadThread(code, store);
  const inProcess = createLoader(createSessionWriters(store, conventions, memory), conventions);
  const inThread = createThreadLoader({ store, conventions, memory, thread });
  const sourceOf = async (from: string | readonly unknown[], options: IngestOptions) => ({
    source:
      typeof from === "string"
        ? await openFile(from, { parquet: parquetFiles(store).groups, ipc: ipcPathGroups })
        : objectSource(from, "records"),
    options,
    alone: false,
    counts: noCounts(),
  });
  return {
    file,
    store,
    choose: (onWarning: (warning: StoreWarning) => void) =>
      chooseLoader({ thread, inThread, inProcess, memory }, onWarning),
    thread,
    sourceOf,
    onMain: async (
      from: string | readonly unknown[],
      options: IngestOptions = {},
      kind: RecordKind = "calls",
    ) => (await inProcess(kind, await sourceOf(from, options))).result,
    inThread: async (
      from: string | readonly unknown[],
      options: IngestOptions = {},
      kind: RecordKind = "calls",
    ) => {
      const letGo = await thread.hold();
      try {
        return (await inThread(kind, await sourceOf(from, options))).result;
      } finally {
        letGo();
      }
    },
  };
}

function write(records: readonly unknown[], name = "calls.ndjson"): string {
  const file = path.join(scratchFolder(), name);
  writeFileSync(file, typeof records[0] === "string" ? records.join("\n") : ndjson(records));
  return file;
}

const digest = (i: number) => `svc:///${PROJECT}/object/o:v/attr/rows/id/d${i}`;

/** Trials in all forms that a load tells apart, with the calls below them. */
function calls(from: number, to: number): unknown[] {
  const records: unknown[] = [];
  for (let i = from; i < to; i++) {
    const example = i % 3 === 0 ? digest(i % 100) : { q: `Ωuestion ${i % 500}`, "7": i % 500 };
    const scores = {
      judge: { score: i / 7, note: i % 5 === 0 ? null : `n${i % 9}` },
      ok: i % 2 === 0,
      list: [i],
    };
    const times = { started_at: 1_767_225_600 + i, ended_at: new Date(1_767_225_600_000 + i * 1500) };
    records.push(
      call(`p${i}`, { parent_id: `t${i}`, op_name: "model.predict", ended_at: "2026-01-01T00:00:01.5Z" }),
      call(`s${i}`, {
        parent_id: `t${i}`,
        op_name: "late.score",
        attributes: { svc: { score: true } },
        output: { late: i, text: "é".repeat(i % 20) },
      }),
      trial(`t${i}`, example, scores, i % 11 === 0 ? { exception: "broke", output: null } : times),
    );
    if (i % 50 === 0) records.push(call(`p${i}`, { display_name: `renamed ${i}`, unknown: 1 }));
    if (i % 97 === 0) records.push({ id: `t${i}`, project_id: PROJECT, deleted_at: "2026-02-01T00:00:00Z" });
  }
  return records;
}

const TABLES = [
  "calls",
  "trials",
  "scores",
  "null_scores",
  "errored_trials",
  "evaluations",
  "rows",
  "score_paths",
];

const noCode = () => Promise.reject(new Error("not allowed here"));

function broken(): void {
  throw new Error("the bar is broken");
}

/** All records of a database, in the order in which they are stored. */
const VALUES = "SELECT row_digest, value FROM evalcube.rows ORDER BY row_digest";

async function stored(file: string): Promise<unknown[]> {
  const tables = [];
  for (const name of TABLES) tables.push(await runOn(file, `FROM ${name} ORDER BY rowid`));
  const [[mark]] = (await runOn(file, "FROM text_mark")) as [[string]];
  const known = (value: unknown) => (typeof value === "string" ? value.replaceAll(mark, "~mark") : value);
  return tables.map((rows, i) => [TABLES[i], rows.map((row) => row.map(known))]);
}

describe("what a thread loads", () => {
  it.each([
    ["another one reads", "1GiB"],
    ["it reads itself, with little memory", "256MiB"],
  ])("is stored as on the main thread, record for record and in turns, where %s", async (_who, memory) => {
    const rows = write(
      Array.from({ length: 100 }, (_, i) => ({ project_id: PROJECT, digest: `d${i}`, val: { i } })),
    );
    const files = [write([root(), ...calls(0, 1500)]), write(calls(1450, 1550)), write(calls(1525, 2500))];
    const [main, thread] = [await openLoaders(), await openLoaders(loadThreadCode, memory)];
    const onMain = [await main.onMain(rows, {}, "rows")];
    for (const file of files) onMain.push(await main.onMain(file));
    const inTurns = [
      await thread.inThread(rows, {}, "rows"),
      await thread.inThread(files[0] ?? ""),
      await thread.onMain(files[1] ?? ""),
      await thread.inThread(files[2] ?? ""),
    ];
    expect(inTurns).toEqual(onMain);
    await Promise.all([main.store.close(), thread.store.close()]);
    expect(await stored(thread.file)).toEqual(await stored(main.file));
  });

  it("tells how far it has come as the main thread does", async () => {
    const file = write([root(), ...calls(0, 500)]);
    const told: number[] = [];
    const { inThread } = await openLoaders();
    const first = await inThread(file, { onProgress: ({ bytes }) => told.push(bytes) });
    const expected: number[] = [];
    const second = await (
      await openLoaders()
    ).onMain(file, { onProgress: ({ bytes }) => expected.push(bytes) });
    expect(told).toEqual(expected);
    expect(first).toEqual(second);
  });
});

describe("an array that a thread loads", () => {
  const circular: Record<string, unknown> = call("c");
  circular["inputs"] = { circular };

  it("is stored as on the main thread", async () => {
    const [main, thread] = [await openLoaders(), await openLoaders()];
    const parts = [[root()], calls(0, 40), [...calls(30, 60), call("b", { inputs: { n: 2n ** 60n } })]];
    for (const records of parts) expect(await thread.inThread(records)).toEqual(await main.onMain(records));
    await Promise.all([main.store.close(), thread.store.close()]);
    expect(await stored(thread.file)).toEqual(await stored(main.file));
  });

  it.each([
    ["of a wrong type", { ...call("x"), inputs: 5 }],
    ["that is no object", 7],
    ["that refers to itself", circular],
    ["with a value that JSON has not", call("x", { output: { f: () => 1 } })],
  ])("is refused as on the main thread for a record %s", async (_what, bad) => {
    const records = [root(), ...calls(0, 5), bad];
    const { onMain, inThread } = await openLoaders();
    const expected = await refusal(onMain(records));
    expect(await refusal(inThread(records))).toStrictEqual(expected);
    const { rejected } = await inThread(records, { onInvalid: "skip" });
    expect(rejected).toEqual((await onMain(records, { onInvalid: "skip" })).rejected);
    expect(rejected).toHaveLength(1);
  });
});

describe("a file that a thread cannot load", () => {
  const bad = [
    ["a record of a wrong type", [root(), ...calls(0, 1500), call("bad", { inputs: 5 }), { id: 7 }]],
    ["a line that is no JSON", [ndjson([root(), ...calls(0, 100)]), "{", "}"]],
    [
      "a call that is never started",
      [root(), ...calls(0, 1500), { id: "x", project_id: PROJECT, output: 1 }],
    ],
    ["a record in the first batch", [root(), { id: "" }, ...calls(0, 10)]],
  ] as const;

  it.each(bad)(
    "with %s is refused as on the main thread, and nothing of it is stored",
    async (_what, records) => {
      const file = write(records);
      const loaders = await openLoaders();
      const [expected, error] = [await refusal(loaders.onMain(file)), await refusal(loaders.inThread(file))];
      expect(error).toStrictEqual(expected);
      const { rejected } = await loaders.inThread(file, { onInvalid: "skip" });
      expect(rejected).toEqual((await loaders.onMain(file, { onInvalid: "skip" })).rejected);
    },
  );

  it("because it is not there says so", async () => {
    const { sourceOf, inThread, onMain } = await openLoaders();
    const file = write([root()]);
    const { source } = await sourceOf(file, {});
    expect(source.isNdjsonFile).toBe(true);
    for (const load of [onMain, inThread])
      await expect(load(`${file}.gone`)).rejects.toMatchObject({ code: "no_source" });
  });

  it("because the caller gives up ends with the reason, and the next one loads", async () => {
    const file = write([root(), ...calls(0, 4000)]);
    const { inThread, store, file: database } = await openLoaders();
    for (const records of [1, 9000]) {
      const aborter = new AbortController();
      const onProgress = (progress: { records: number }) => {
        if (progress.records >= records) aborter.abort(new Error("enough"));
      };
      await expect(inThread(file, { signal: aborter.signal, onProgress })).rejects.toThrow("enough");
    }
    await expect(inThread(file, { onProgress: broken })).rejects.toThrow("the bar is broken");
    expect((await inThread(file)).unchanged).toBe(0);
    await store.close();
    expect(await runOn(database, "SELECT count(*)::INTEGER FROM calls")).toEqual([[12_001]]);
  });

  it.each([
    ["before it reads", "read"],
    ["while it writes", "write"],
  ])("because the thread ends %s says so, and the next thread loads it", async (_when, moment) => {
    const dying = `require("node:worker_threads").parentPort.on("message", ({ kind }) => {
      if (kind === "${moment}") process.exit(3);
      require("node:worker_threads").parentPort.postMessage({ kind: "begun", records: 1, characters: 1 });
    });`;
    let isDying = true;
    const { inThread } = await openLoaders(async () => (isDying ? dying : await loadThreadCode()));
    const file = write([root(), ...calls(0, 10)], "some.ndjson");
    const error = await refusal(inThread(file));
    expect(error).toMatchObject({ code: "thread_ended" });
    expect(error.message).toMatch(/some\.ndjson: nothing of it is stored, .*ended with status 3; /);
    isDying = false;
    expect((await inThread(file)).unchanged).toBe(0);
  });
});

describe("a load", () => {
  it("is on the main thread, which is said once, where no thread can be started", async () => {
    const { choose, sourceOf } = await openLoaders(noCode);
    const warnings: StoreWarning[] = [];
    const load = choose((warning) => warnings.push(warning));
    const large = { isNdjsonFile: true, totalBytes: 2 ** 30 };
    for (const [records, count] of [
      [[root()], 1],
      [calls(0, 1), 5],
    ] as const) {
      const one = await sourceOf(write(records), {});
      const { result } = await load("calls", { ...one, source: { ...one.source, ...large } });
      expect(result.stored).toBe(count);
    }
    expect(warnings).toEqual([
      { code: "no_load_thread", message: expect.stringContaining("not allowed here") },
    ]);
  });

  it("of a small file starts no thread", async () => {
    const { choose, sourceOf } = await openLoaders(noCode);
    const load = choose(() => expect.unreachable());
    expect((await load("calls", await sourceOf(write([root()]), {}))).result.stored).toBe(1);
  });

  it("of large texts is in the thread, and stored as on the main thread", async () => {
    const rows = Array.from({ length: 600 }, (_, i) => ({ n: i, long: i === 300 ? "é\n".repeat(4e6) : "" }));
    const texts = rows.map((val) => JSON.stringify({ project_id: PROJECT, val }));
    let threads = 0;
    const [main, thread] = [
      await openLoaders(noCode),
      await openLoaders(() => loadThreadCode().finally(() => threads++)),
    ];
    const load = async ({ choose }: typeof main, some: readonly string[]) => {
      const source = textSource(some, "rows");
      const loaded = { source, options: {}, alone: false, counts: noCounts() };
      return (await choose(() => {})("rows", loaded)).result.stored;
    };
    expect([await load(main, texts), await load(thread, texts.slice(0, 300)), threads]).toEqual([
      600, 300, 0,
    ]);
    expect([await load(thread, texts), threads]).toEqual([300, 1]);
    await Promise.all([main.store.close(), thread.store.close()]);
    expect(await runOn(thread.file, VALUES)).toEqual(await runOn(main.file, VALUES));
  });

  it("of a small array is in the thread only while that rests, and none overtakes another", async () => {
    const { choose, thread, sourceOf } = await openLoaders();
    const nothing = await choose(() => expect.unreachable())("calls", await sourceOf([], {}));
    const begun: string[] = [];
    const waiting: (() => void)[] = [];
    const loader =
      (where: string): Loader =>
      async (_kind, { source }) => {
        begun.push(`${source.name} ${where}`);
        await new Promise<void>((resolve) => waiting.push(resolve));
        return nothing;
      };
    const memory = createWriterMemory();
    const load = chooseLoader(
      { thread, inThread: loader("in the thread"), inProcess: loader("on the main thread"), memory },
      () => expect.unreachable(),
    );
    const small = (name: string, count = 1) =>
      load("calls", {
        source: objectSource(
          Array.from({ length: count }, () => root()),
          name,
        ),
        options: {},
        alone: false,
        counts: noCounts(),
      });
    const finish = async (...loads: readonly Promise<unknown>[]) => {
      while (waiting.length > 0) waiting.shift()?.();
      await Promise.all(loads);
    };
    await finish(small("before there is a thread"));
    const large = await sourceOf(write([root()]), {});
    const loading = load("calls", {
      ...large,
      source: { ...large.source, name: "large", totalBytes: 2 ** 30 },
    });
    await expect.poll(() => waiting.length).toBe(1);
    await finish(small("beside it"), loading);
    const first = small("the first after it");
    const second = small("one beside that");
    waiting.shift()?.();
    await first;
    await finish(small("one after that"), second);
    await finish(small("a larger one", 300));
    await finish(small("the last"));
    const evaluations = Array.from(
      { length: 1001 },
      (_, i) => [`e${i}`, { key: i, projectKey: 1, id: `e${i}` }] as const,
    );
    memory.catalog = createCatalog({
      projects: new Map(),
      evaluations: new Map(evaluations),
      scorePaths: new Map(),
      next: { call: 1, row: 1, version: 1, text: 1 },
      mark: "~",
    });
    await finish(small("one beside many evaluations"));
    expect(begun).toEqual([
      "before there is a thread on the main thread",
      "large in the thread",
      "beside it on the main thread",
      "the first after it in the thread",
      "one beside that on the main thread",
      "one after that on the main thread",
      "a larger one on the main thread",
      "the last in the thread",
      "one beside many evaluations on the main thread",
    ]);
  });
});
