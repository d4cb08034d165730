import { writeFileSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { openEngine, type IngestProgress } from "../../src/index.ts";
import { call, ndjson, PROJECT, stream, trial } from "../support/records.ts";
import { askAll, storedIds } from "../support/queries.ts";
import { refusal } from "../support/refusal.ts";
import { scratchEngine, scratchPath } from "../support/scratch.ts";

const T1 = trial("t1", 1);

/** Trials without end, and a call back at one of them. */
async function* endless(at: number, back: () => void) {
  for (let i = 0; ; i++) {
    if (i === at) back();
    yield trial(`x${i}`, i, { acc: i });
    if (i % 1000 === 0) await nextTurn();
  }
}

/** `[[…1…]]`, or the like with objects. */
function nested(depth: number, open: string, close: string): string {
  return `${open.repeat(depth)}1${close.repeat(depth)}`;
}

function lineWith(place: "example" | "scores", text: string): string {
  const record = place === "example" ? trial("deep", "HERE") : trial("deep", 1, { a: "HERE" });
  return JSON.stringify(record).replace('"HERE"', text);
}

async function progressOf(file: string) {
  const engine = await scratchEngine();
  const seen: IngestProgress[] = [];
  await engine.ingestCalls(file, { onProgress: (progress) => void seen.push(progress) });
  return seen;
}

describe("an aborted load", () => {
  it.each([0, 1, 5000, 45_000])("at record %i leaves nothing behind, and the engine goes on", async (at) => {
    const engine = await scratchEngine();
    await engine.ingestCalls([T1]);
    const controller = new AbortController();
    const loading = engine.ingestCalls(
      endless(at, () => controller.abort(new Error("enough"))),
      { signal: controller.signal },
    );
    await expect(loading).rejects.toThrow("enough");
    expect(await storedIds(engine)).toEqual(["t1"]);
    expect(await engine.ingestCalls([trial("x0", 0)])).toMatchObject({ stored: 1, unchanged: 0 });
    expect(await storedIds(engine)).toEqual(["t1", "x0"]);
  });

  it("does not begin when the signal came before it", async () => {
    const engine = await scratchEngine();
    const signal = AbortSignal.abort();
    await expect(engine.ingestCalls([T1], { signal })).rejects.toThrow(/abort/i);
    await expect(engine.ingestRows([{ project_id: PROJECT, val: 1 }], { signal })).rejects.toThrow(/abort/i);
    expect(await engine.listEvaluations(PROJECT)).toEqual([]);
  });

  it("leaves a load that waits for its turn alone", async () => {
    const engine = await scratchEngine();
    const controller = new AbortController();
    const aborted = engine.ingestCalls(
      endless(3000, () => controller.abort(new Error("enough"))),
      {
        signal: controller.signal,
      },
    );
    const waiting = engine.ingestCalls([T1]);
    await expect(aborted).rejects.toThrow("enough");
    expect(await waiting).toMatchObject({ stored: 1 });
    expect(await storedIds(engine)).toEqual(["t1"]);
  });
});

describe("progress", () => {
  const many = ndjson(
    Array.from({ length: 12_000 }, (_, i) => call(`c${i}`, { inputs: { text: "x".repeat(100) } })),
  );

  it.each([
    ["a file", Buffer.from(many)],
    ["a gzip file", gzipSync(many)],
  ])("of %s grows to its size", async (_kind, content) => {
    const file = scratchPath("calls.ndjson");
    writeFileSync(file, content);
    const seen = await progressOf(file);
    expect(seen.length).toBeGreaterThan(3);
    expect(seen.at(-1)).toEqual({ records: 12_000, bytes: content.length, totalBytes: content.length });
    expect(seen.map(({ records }) => records)).toEqual(
      seen.map(({ records }) => records).toSorted((a, b) => a - b),
    );
    expect(seen.map(({ bytes }) => bytes)).toEqual(seen.map(({ bytes }) => bytes).toSorted((a, b) => a - b));
  });

  it("of a stream has no total", async () => {
    const engine = await scratchEngine();
    const seen: IngestProgress[] = [];
    await engine.ingestCalls(stream([ndjson([T1])]), { onProgress: (progress) => void seen.push(progress) });
    expect(seen).toEqual([{ records: 1, bytes: ndjson([T1]).length, totalBytes: null }]);
  });
});

describe("deep nesting", () => {
  it.each([
    ["lists", "[", "]"],
    ["objects", '{"a":', "}"],
  ])("of %s is stored up to a limit and answered as it came", async (_kind, open, close) => {
    const engine = await scratchEngine();
    const deep = nested(900, open, close);
    await engine.ingestCalls(stream([lineWith("example", deep)]));
    await engine.ingestCalls(stream([lineWith("scores", deep).replace('"deep"', '"deeper"')]));
    expect(await storedIds(engine)).toEqual(["deep", "deeper"]);
    const { summary } = await askAll(engine, { include_summary: true });
    expect(summary).toMatchObject({ row_count: 2 });
    const json = await engine.queryEvalResultsJson(PROJECT, {
      evaluation_call_ids: ["e"],
      include_raw_data_rows: true,
    });
    expect(json).toContain(`"raw_data_row":${deep}`);
  });

  it.each([1100, 20_000, 1_000_000])("of %i levels is refused with the line it is on", async (depth) => {
    const engine = await scratchEngine();
    for (const place of ["example", "scores"] as const) {
      const error = await refusal(
        engine.ingestCalls(stream([ndjson([T1]), lineWith(place, nested(depth, "[", "]"))])),
      );
      expect(error).toMatchObject({ code: "invalid_record", source: "calls.ndjson", position: 2 });
      expect(error.message).toMatch(/nested more than \d+ levels deep/);
    }
    expect(await storedIds(engine)).toEqual([]);
  });

  it("of objects of the process's own is refused, and so is an object within itself", async () => {
    const engine = await scratchEngine();
    const round: { self?: unknown } = {};
    round.self = round;
    let deep: unknown = 1;
    for (let i = 0; i < 100_000; i++) deep = { deep };
    for (const example of [deep, round]) {
      const error = await refusal(engine.ingestCalls([T1, trial("x", example)]));
      expect(error).toMatchObject({ code: "invalid_record", position: 2 });
      expect(error.message).toMatch(/nested/);
    }
    expect(await engine.ingestCalls([T1])).toMatchObject({ stored: 1 });
  });
});

it("a text for which the memory does not suffice is told with its source, its record and what to do", async () => {
  const engine = await openEngine({ path: scratchPath(), memoryLimit: "48MiB", threads: 1 });
  onTestFinished(() => engine.close());
  // What a root says of its evaluation stays in its record.
  const root = { op_name: "Evaluation.evaluate", output: "x".repeat(30_000_000) };
  const records = [call("a", {}), call("b", root), call("c", {})];
  await expect(engine.ingestCalls(records)).rejects.toThrow(
    /^\S+, record 2, the longest with 31 MB: .*memoryLimit.* nothing is stored/,
  );
  expect((await engine.ingestCalls([call("a", {})])).stored).toBe(1);
});
