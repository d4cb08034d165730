import { writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { IngestError, type Engine, type IngestSource } from "../../src/index.ts";
import { call, ndjson, PROJECT, stream, trial } from "../support/records.ts";
import { askAll, storedIds } from "../support/queries.ts";
import { refusal } from "../support/refusal.ts";
import { scratchEngine, scratchFolder } from "../support/scratch.ts";
import { runOn } from "../support/duckdb.ts";
import { zstdFrame } from "../support/zstd.ts";

const T1 = trial("t1", { q: 1 }, { acc: 1 });
const T2 = trial("t2", { q: 2 }, { acc: 0 });
const T3 = trial("t3", { q: 3 }, { acc: 0.5 });
const LINES = ndjson([T1, T2, T3]);
const bytes = (text: string | Uint8Array) => Array.from(Buffer.from(text), (byte) => Buffer.from([byte]));

const BAD = call("bad", { inputs: 5 });

function* longAndBad() {
  for (let i = 0; i < 21_000; i++) yield call(`c${i}`);
  yield BAD;
}

async function* breakingBytes() {
  yield Buffer.from(ndjson([T1]));
  throw new Error("the disk is gone");
}

async function* breakingRecords() {
  yield T1;
  throw new Error("the network is down");
}

function loadWithBad(engine: Engine, at: number) {
  const records: unknown[] = Array.from({ length: 300 }, (_, i) => trial(`b${i}`, i));
  return engine.ingestCalls(records.toSpliced(at, 0, BAD));
}

describe("a source", () => {
  it.each<[string, () => IngestSource]>([
    ["NDJSON", () => stream([LINES])],
    ["NDJSON without a last line end", () => stream([LINES.trimEnd()])],
    ["NDJSON with CRLF", () => stream([LINES.replaceAll("\n", "\r\n")])],
    ["NDJSON that begins with a byte order mark", () => stream([`\uFEFF${LINES}`])],
    ["NDJSON with blank lines", () => stream([`\n  \n${LINES.replaceAll("\n", "\n\t\n\r\n")}\n`])],
    ["NDJSON in chunks of a byte", () => stream(bytes(LINES))],
    ["NDJSON with empty chunks", () => stream(["", LINES, ""])],
    ["gzip", () => stream([gzipSync(LINES)])],
    ["gzip in two chunks", () => stream([gzipSync(LINES).subarray(0, 100), gzipSync(LINES).subarray(100)])],
    ["gzip in two members", () => stream([gzipSync(ndjson([T1])), gzipSync(ndjson([T2, T3]))])],
    ["Zstandard", () => stream([zstdFrame(LINES)])],
    ["Zstandard in chunks of a byte", () => stream(bytes(zstdFrame(LINES)))],
    ["Zstandard in two frames", () => stream([zstdFrame(ndjson([T1])), zstdFrame(ndjson([T2, T3]))])],
    ["gzip of Zstandard of gzip", () => stream([gzipSync(zstdFrame(gzipSync(LINES)))])],
    ["an array", () => [T1, T2, T3]],
    ["a set", () => new Set([T1, T2, T3])],
    [
      "an iterator",
      function* () {
        yield* [T1, T2, T3];
      },
    ],
    [
      "an async iterator",
      async function* () {
        yield* [T1, T2, T3];
      },
    ],
  ])("may be %s", async (_kind, source) => {
    const engine = await scratchEngine();
    expect(await engine.ingestCalls(source())).toEqual({
      received: 3,
      stored: 3,
      unchanged: 0,
      rejected: [],
      unknown_members: {},
      epoch_times: {},
      evaluations: 1,
      trials: 3,
      unattached: 0,
      unused_ops: {},
    });
    expect(await storedIds(engine)).toEqual(["t1", "t2", "t3"]);
  });

  it("may be one file or a list of files, plain or gzip whatever the name", async () => {
    const folder = scratchFolder();
    const file = (name: string, content: string | Uint8Array) => {
      writeFileSync(path.join(folder, name), content);
      return path.join(folder, name);
    };
    const engine = await scratchEngine();
    expect(await engine.ingestCalls(file("it's a file.ndjson", ndjson([T1])))).toMatchObject({ stored: 1 });
    const list = [
      file("b.jsonl.gz", gzipSync(ndjson([T2]))),
      file("c.gz", ndjson([T1])),
      file("d", gzipSync(ndjson([T3]))),
    ];
    expect(await engine.ingestCalls(list)).toMatchObject({ received: 3, stored: 2, unchanged: 1 });
    expect(await storedIds(engine)).toEqual(["t1", "t2", "t3"]);
  });

  it("may be a file that DuckDB packed by Zstandard", async () => {
    const file = path.join(scratchFolder(), "calls.ndjson.zst");
    const lines = [T1, T2, T3].map((one) => `'${JSON.stringify(one)}'`).join(", ");
    await runOn(
      ":memory:",
      `COPY (SELECT unnest([${lines}])) TO '${file}' (FORMAT csv, COMPRESSION zstd, HEADER false, QUOTE '', ESCAPE '', DELIMITER '\x01')`,
    );
    const engine = await scratchEngine();
    expect(await engine.ingestCalls(file)).toMatchObject({ received: 3, stored: 3 });
  });

  it("may be empty", async () => {
    const engine = await scratchEngine();
    for (const source of [[], stream([]), stream([""]), stream(["\n\n"])]) {
      expect(await engine.ingestCalls(source)).toMatchObject({ received: 0, stored: 0 });
    }
  });

  it("may have a line of several megabytes", async () => {
    const engine = await scratchEngine();
    const long = "é".repeat(4_000_000);
    await engine.ingestCalls(stream([ndjson([T1, trial("long", { long })]), ndjson([T2])]));
    const { rows } = await askAll(engine);
    expect(rows.map((row) => row.raw_data_row)).toContainEqual({ long });
    expect(rows).toHaveLength(3);
  });

  it("keeps letters of several bytes that chunks cut in two", async () => {
    const engine = await scratchEngine();
    const example = { text: "é 漢字 😀 \u2028" };
    await engine.ingestCalls(stream(bytes(ndjson([trial("t", example)]))));
    expect((await askAll(engine)).rows[0]?.raw_data_row).toEqual(example);
  });

  it.each<[string, unknown, string]>([
    ["nothing", undefined, "invalid_source"],
    ["a number", 5, "invalid_source"],
    ["one record", T1, "invalid_source"],
    ["a file that is not there", path.join(import.meta.dirname, "none.ndjson"), "no_source"],
    ["a folder without such files", path.join(import.meta.dirname, "../support"), "no_source"],
  ])("may not be %s", async (_name, source, code) => {
    const engine = await scratchEngine();
    expect(await refusal(engine.ingestCalls(source as IngestSource))).toMatchObject({ code });
  });
});

describe("a record that cannot be read", () => {
  const cut = gzipSync(ndjson([T1, T2])).subarray(0, -10);
  const four = [1, 2, 3, 4].reduce((packed) => gzipSync(packed), Buffer.from(LINES));
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
  const text = (line: string) => stream([ndjson([T1]), `${line}\n`, ndjson([T2])]);

  it.each<[string, () => IngestSource, number, RegExp]>([
    ["is not JSON", () => text("{oops"), 2, /is not JSON/],
    ["ends early", () => text('{"id":"x"'), 2, /is not JSON/],
    ["is a list", () => text("[1]"), 2, /must be an object, not a list/],
    ["is null", () => text("null"), 2, /must be an object, not null/],
    [
      "is not UTF-8",
      () => stream([ndjson([T1]), Buffer.from([0x22, 0xff, 0xfe, 0x22, 0x0a])]),
      2,
      /is not UTF-8/,
    ],
    ["is in UTF-16", () => stream([Buffer.from(`\uFEFF${LINES}`, "utf16le")]), 1, /is not UTF-8/],
    ["is in a gzip that ends early", () => stream([cut]), 2, /cannot be read: unexpected end of file/],
    [
      "is in a Zstandard that ends early",
      () => stream([zstdFrame(LINES).subarray(0, -10)]),
      1,
      /cannot be read/,
    ],
    ["is packed four times over", () => stream([four]), 1, /is packed more than 3 times over/],
    ["unpacks to too much", () => stream([bomb]), 1, /would unpack from .* to more than .* bytes/],
    ["comes after blank lines", () => stream(["\n\n", ndjson([T1]), "\n", "5\n"]), 5, /must be an object/],
  ])("is named: it %s", async (_fault, source, position, reason) => {
    const engine = await scratchEngine();
    const error = await refusal(engine.ingestCalls(source()));
    expect(error).toBeInstanceOf(IngestError);
    expect(error).toMatchObject({ code: "invalid_record", source: "calls.ndjson", position, path: [] });
    expect(error.message).toMatch(reason);
    expect(error.message).toContain("calls.ndjson");
    expect(await engine.listEvaluations(PROJECT)).toEqual([]);
  });

  it.each<[string, unknown, (string | number)[], RegExp]>([
    [
      "NaN",
      trial("x", 1, { a: { b: [1, Number.NaN] } }),
      ["output", "scores", "a", "b", 1],
      /NaN is not a JSON number/,
    ],
    ["infinity", trial("x", [-Infinity]), ["inputs", "example", 0], /-Infinity is not a JSON number/],
    [
      "a function",
      trial("x", 1, { a: () => 1 }),
      ["output", "scores", "a"],
      /a function is not a JSON value/,
    ],
    ["a symbol", trial("x", Symbol("s")), ["inputs", "example"], /a symbol is not a JSON value/],
    ["a number for a record", 5, [], /must be an object, not a number/],
    ["null for a record", null, [], /must be an object, not null/],
    ["a list for a record", [T2], [], /must be an object, not a list/],
  ])("is named: it holds %s", async (_fault, record, where, reason) => {
    const engine = await scratchEngine();
    const error = await refusal(engine.ingestCalls([T1, record]));
    expect(error).toMatchObject({ code: "invalid_record", source: "records", position: 2, path: where });
    expect(error.message).toMatch(reason);
    expect(await engine.listEvaluations(PROJECT)).toEqual([]);
  });
});

describe("a source with a bad record", () => {
  it.each([0, 150, 300])("leaves nothing behind, also when it comes as record %i", async (at) => {
    const engine = await scratchEngine();
    await engine.ingestCalls([T1]);
    expect(await refusal(loadWithBad(engine, at))).toMatchObject({ position: at + 1, path: ["inputs"] });
    expect(await storedIds(engine)).toEqual(["t1"]);
    expect(await engine.ingestCalls([T2])).toMatchObject({ stored: 1 });
    expect(await storedIds(engine)).toEqual(["t1", "t2"]);
  });

  it("leaves nothing behind, also when it comes after tens of thousands of records", async () => {
    const engine = await scratchEngine();
    expect(await refusal(engine.ingestCalls(longAndBad()))).toMatchObject({ position: 21_001 });
    expect(await engine.ingestCalls([call("c0")])).toMatchObject({ stored: 1, unchanged: 0 });
  });

  it("of a list of files is alone in leaving nothing behind: those before it are stored", async () => {
    const folder = scratchFolder();
    const files = [[T1], [T2, BAD], [T3]].map((records, i) => {
      const file = path.join(folder, `${i}.ndjson`);
      writeFileSync(file, ndjson(records));
      return file;
    });
    const engine = await scratchEngine();
    expect(await refusal(engine.ingestCalls(files))).toMatchObject({ source: files[1], position: 2 });
    expect(await storedIds(engine)).toEqual(["t1"]);
  });

  it("stores the others when they are to be skipped, and names each", async () => {
    const engine = await scratchEngine();
    const source = stream(
      [ndjson([T1]), "{oops\n", "\n", ndjson([BAD, T2, { id: "x", project_id: PROJECT }])],
      "mixed",
    );
    const result = await engine.ingestCalls(source, { onInvalid: "skip" });
    expect(result).toMatchObject({ received: 5, stored: 2, unchanged: 0 });
    expect(result.rejected).toEqual([
      { source: "mixed", position: 2, path: [], reason: expect.stringMatching(/^is not JSON/) },
      { source: "mixed", position: 4, path: ["inputs"], reason: "must be an object or null, not a number" },
      { source: "mixed", position: 6, path: ["op_name"], reason: "is required" },
    ]);
    expect(await storedIds(engine)).toEqual(["t1", "t2"]);
  });

  it("stores nothing when all records are skipped", async () => {
    const engine = await scratchEngine();
    expect(await engine.ingestCalls([BAD, BAD], { onInvalid: "skip" })).toMatchObject({
      received: 2,
      stored: 0,
    });
    expect(await engine.listEvaluations(PROJECT)).toEqual([]);
  });

  it("fails with the error of an iterator that throws, and leaves nothing behind", async () => {
    const engine = await scratchEngine();
    await expect(engine.ingestCalls(breakingRecords())).rejects.toThrow("the network is down");
    await expect(engine.ingestCalls({ ndjson: breakingBytes(), name: "broken" })).rejects.toThrow(
      "the disk is gone",
    );
    expect(await storedIds(engine)).toEqual([]);
    expect(await engine.ingestCalls([T1])).toMatchObject({ stored: 1 });
  });
});
