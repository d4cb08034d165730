import { writeFileSync } from "node:fs";
import path from "node:path";
import { Worker } from "node:worker_threads";
import { describe, expect, it, vi } from "vitest";
import { readInThread, createReadThread } from "../../src/duckdb/load-thread/read/read-thread.ts";
import { noCounts } from "../../src/ingest/counts.ts";
import { objectSource } from "../../src/ingest/formats/record-source.ts";
import { noTally } from "../../src/ingest/read-load.ts";
import { loadThreadCode } from "../../src/load-thread-code.ts";
import { DEFAULT_CONVENTIONS as conventions } from "../../src/model/conventions.ts";
import { createTurnTaker } from "../../src/model/turns.ts";
import { call, ndjson } from "../support/records.ts";
import { refusal } from "../support/refusal.ts";
import { scratchFolder } from "../support/scratch.ts";

function fileOf(records: number) {
  const file = path.join(scratchFolder(), "calls.ndjson");
  writeFileSync(file, ndjson(Array.from({ length: records }, (_, i) => call(`c${i}`))));
  return {
    kind: "calls",
    path: file,
    totalBytes: null,
    options: {},
    tellsProgress: false,
    conventions,
  } as const;
}

function notes(signal = new AbortController().signal) {
  return { tally: noTally(), signal, progress: () => undefined, turns: createTurnTaker() };
}

async function count(batches: AsyncIterable<{ readonly records: readonly unknown[] }>): Promise<number> {
  let found = 0;
  for await (const { records } of batches) found += records.length;
  return found;
}

const OPTIONS = { advice: "load it again" };

describe("a thread that reads", () => {
  it("reads files beside one another, each to its end", async () => {
    const thread = createReadThread(await loadThreadCode(), OPTIONS);
    const [first, second] = [notes(), notes()];
    const read = await Promise.all([
      count(thread.read(fileOf(30_000), first)),
      count(thread.read(fileOf(20_000), second)),
    ]);
    expect(read).toEqual([30_000, 20_000]);
    expect([first.tally.received, second.tally.received]).toEqual(read);
  });

  it("has ended a reading whose first batch is its last", async () => {
    const { signal } = new AbortController();
    const letGo = vi.spyOn(signal, "removeEventListener");
    const thread = createReadThread(await loadThreadCode(), OPTIONS);
    const file = fileOf(3);
    const source = objectSource([], file.path);
    const load = { source, options: {}, alone: true, counts: noCounts() };
    const read = await readInThread(thread, file, { load, signal, turns: createTurnTaker() });
    expect([read.first.length, read.rest]).toEqual([3, null]);
    expect(letGo).toHaveBeenCalledOnce();
  });

  it("goes on with the next file after one that nobody reads on", async () => {
    const thread = createReadThread(await loadThreadCode(), OPTIONS);
    const left = thread.read(fileOf(20_000), notes());
    await left.next();
    await left.return();
    const aborter = new AbortController();
    const aborted = thread.read(fileOf(20_000), notes(aborter.signal));
    await aborted.next();
    aborter.abort(new Error("enough"));
    await expect(aborted.next()).rejects.toThrow("enough");
    const next = thread.read(fileOf(3), notes());
    expect((await next.next()).value?.records).toHaveLength(3);
    await next.return();
  });

  it.each([
    ["ends", "process.exit(3);", "it ended with status 3"],
    ["breaks", 'throw new Error("out of something");', "out of something"],
  ])("says so where it %s, and starts anew for the next file", async (_how, program, reason) => {
    const thread = createReadThread(program, OPTIONS);
    for (let time = 0; time < 2; time++) {
      const error = await refusal(thread.read(fileOf(1), notes()).next());
      expect(error).toMatchObject({ code: "thread_ended" });
      expect(error.message).toContain(`calls.ndjson: nothing of it is stored`);
      expect(error.message).toContain(`${reason}; load it again`);
    }
  });

  it("is there until what it reads is read, and then ends with its owner", async () => {
    const closer = new AbortController();
    const ended = vi.spyOn(Worker.prototype, "terminate");
    const thread = createReadThread(await loadThreadCode(), { ...OPTIONS, closing: closer.signal });
    const told = vi.spyOn(Worker.prototype, "postMessage");
    const reading = thread.read(fileOf(30_000), notes());
    await reading.next();
    // Threads of other tests may end meanwhile.
    const [worker] = told.mock.contexts;
    closer.abort();
    expect(ended.mock.contexts).not.toContain(worker);
    expect(await count(reading)).toBeGreaterThan(20_000);
    expect(ended.mock.contexts).toContain(worker);
  });
});
