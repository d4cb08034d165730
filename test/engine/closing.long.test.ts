import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Writable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine, StoreError, type Engine } from "../../src/index.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { scratchPath } from "../support/scratch.ts";
import { settle, until } from "../support/until.ts";

const REQUEST = { evaluation_call_ids: ["e"] };

const FEW = [root("e"), ...Array.from({ length: 999 }, (_, i) => trial(`t${i}`, { i }))];
/** More than one batch has. */
const MANY = [root("e"), ...Array.from({ length: 70_000 }, (_, i) => trial(`t${i}`, { i }))];

const folder = mkdtempSync(path.join(tmpdir(), "evalcube-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeAll(async () => {
  for (const [name, records] of Object.entries({ few: FEW, many: MANY })) {
    const engine = await openEngine({ path: path.join(folder, name) });
    await engine.ingestCalls(records);
    await engine.close();
  }
});

const opened = (name: "few" | "many") =>
  openEngine({ path: path.join(folder, name), readOnly: true, threads: 1 });

type Pieces = AsyncGenerator<unknown, void, undefined>;

const readers: Readonly<Record<string, (engine: Engine) => Pieces>> = {
  queryBatches: (engine) => engine.queryBatches(PROJECT, REQUEST),
  queryColumns: (engine) => engine.queryColumns(PROJECT, REQUEST),
  sqlBatches: (engine) => engine.sqlBatches(PROJECT, "SELECT i FROM range(1000000) AS t(i)"),
  streamEvalResults: (engine) =>
    engine.streamEvalResults(PROJECT, { ...REQUEST, include_raw_data_rows: true }),
};

async function expectClosed(step: Promise<unknown>): Promise<void> {
  const error: unknown = await step.then(
    () => null,
    (fault: unknown) => fault,
  );
  expect(error).toBeInstanceOf(StoreError);
  expect(error).toMatchObject({
    code: "closed",
    message: expect.stringMatching(/the engine is closed; openEngine opens it again$/) as unknown,
  });
}

describe.each(Object.entries(readers))("an engine that closes while %s is read", (name, read) => {
  const records = name === "queryBatches" ? "many" : "few";

  it("does not wait for a reader that does not come back", async () => {
    const engine = await opened(records);
    const pieces = read(engine);
    expect(await pieces.next()).toMatchObject({ done: false });
    await engine.close();
    await expectClosed(pieces.next());
    expect(await pieces.next()).toEqual({ done: true, value: undefined });
  });

  it("may be closed by the reader", async () => {
    const engine = await opened(records);
    let count = 0;
    const reading = async () => {
      for await (const _ of read(engine)) {
        count++;
        await engine.close();
      }
    };
    await expectClosed(reading());
    expect(count).toBe(1);
  });

  it("ends the step that is under way, and steps that come later", async () => {
    const engine = await opened("few");
    const [pieces, later] = [read(engine), read(engine)];
    const step = expectClosed(pieces.next());
    await engine.close();
    await step;
    await expectClosed(later.next());
    expect(await later.next()).toEqual({ done: true, value: undefined });
  });

  it("without a word where many are read at once", async () => {
    const words: Error[] = [];
    const listen = (word: Error) => void words.push(word);
    process.on("warning", listen);
    const engine = await opened("few");
    const many = Array.from({ length: 12 }, () => read(engine));
    await Promise.all(many.map((pieces) => pieces.next()));
    await engine.close();
    await settle();
    process.off("warning", listen);
    expect(words).toEqual([]);
  });
});

describe("pieces", () => {
  it.each(Object.entries(readers))("come in order to steps that do not wait: %s", async (name, read) => {
    const engine = await opened(name === "queryBatches" ? "many" : "few");
    const pieces = read(engine);
    const steps = await Promise.all([pieces.next(), pieces.next(), pieces.return()]);
    expect(steps.map(({ done }) => done)).toEqual([false, false, true]);
    await engine.close();
  });
});

describe("an engine that closes", () => {
  it("waits for queries and exports", async () => {
    const engine = await opened("few");
    const file = scratchPath("table.csv");
    const held: (() => void)[] = [];
    let isReleased = false;
    const slow = new Writable({
      highWaterMark: 1,
      write: (_chunk, _encoding, done) => (isReleased ? done() : void held.push(done)),
    });
    const work = Promise.all([
      engine.queryTable(PROJECT, REQUEST),
      engine.sql(PROJECT, "SELECT count(*) FROM trials"),
      engine.queryEvalResults(PROJECT, REQUEST),
      engine.exportResults(PROJECT, REQUEST, { format: "csv", path: file }),
      engine.exportSql(PROJECT, "SELECT 1", [], { format: "arrow", stream: slow }),
    ]);
    const closed = engine.close();
    await until("a chunk is written to the stream", () => held.length > 0);
    isReleased = true;
    for (const done of held) done();
    await closed;
    expect(existsSync(file)).toBe(true);
    const [table, count, response, trials, records] = await work;
    expect(table.numRows).toBe(999);
    expect(count.numRows).toBe(1);
    expect(response.total_rows).toBe(999);
    expect(trials).toEqual({ trials: 999 });
    expect(records).toEqual({ records: 1, columns: [{ name: "1", type: "integer" }] });
  });

  it("answers nothing any more", async () => {
    const engine = await opened("few");
    await engine.close();
    const file = scratchPath("table.csv");
    const format = "csv" as const;
    const asked = [
      () => engine.queryTable(PROJECT, REQUEST),
      () => engine.queryBatches(PROJECT, REQUEST).next(),
      () => engine.exportResults(PROJECT, REQUEST, { format, path: file }),
      () => engine.sql(PROJECT, "SELECT 1"),
      () => engine.sqlBatches(PROJECT, "SELECT 1").next(),
      () => engine.exportSql(PROJECT, "SELECT 1", [], { format, path: file }),
      () => engine.queryEvalResults(PROJECT, REQUEST),
      () => engine.streamEvalResults(PROJECT, REQUEST).next(),
      () => engine.ingestCalls(FEW),
    ];
    for (const ask of asked) await expectClosed(ask());
    expect(existsSync(file)).toBe(false);
    await engine.close();
  });
});
