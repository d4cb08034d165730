import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { Writable } from "node:stream";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openAnyCore, openCore } from "../../src/engine/engine.ts";
import { noClickHouse, scratchDatabase, sharedClickHouse } from "../support/clickhouse-server.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { scratchFolder } from "../support/scratch.ts";
import { because } from "../support/skipped.ts";

const REQUEST = { evaluation_call_ids: ["e"], include_raw_data_rows: true };
const NUMBERS = [0, -0, 1.5, 1e21, 1e-7, 5e-324, 1.7976931348623157e308, 123456789, 0.1, 1e16];
const TEXTS = ["", 'a "quoted", text', "two\r\nlines", "\u2028é😀/\\", "null"];

/** Trials with numbers, truths and texts, some of which are missing. */
const CALLS = [
  root(),
  ...Array.from({ length: 3000 }, (_, i) =>
    trial(
      `t${i}`,
      { i, text: TEXTS[i % TEXTS.length] },
      {
        number: i % 7 === 0 ? undefined : NUMBERS[i % NUMBERS.length],
        ok: i % 3 === 0 ? undefined : i % 2 === 0,
        "a,b": { "c\n": TEXTS[i % TEXTS.length] },
      },
      {
        output: {
          output: TEXTS[i % TEXTS.length],
          scores: { n: NUMBERS[i % NUMBERS.length], ok: i % 2 === 0 },
        },
      },
    ),
  ),
];

describe.skipIf(noClickHouse !== null)(`exports on ClickHouse${because(noClickHouse)}`, () => {
  let url: string;
  beforeAll(async () => {
    url = await sharedClickHouse();
  });

  it("have the bytes that they have on DuckDB, and leave nothing when they are stopped", async () => {
    const onServer = await openAnyCore({ clickhouse: { url, database: scratchDatabase(url) } });
    const onFile = await openCore({ threads: 1 });
    onTestFinished(async () => {
      await onServer.close();
      await onFile.close();
    });
    await Promise.all([onFile.ingestCalls(CALLS), onServer.ingestCalls(CALLS)]);
    const folder = scratchFolder();
    for (const format of ["csv", "jsonl", "json", "arrow", "parquet"] as const) {
      const [wanted, found] = [path.join(folder, `wanted.${format}`), path.join(folder, `found.${format}`)];
      expect(await onFile.exportResults(PROJECT, REQUEST, { format, path: wanted })).toEqual({
        trials: 3000,
      });
      expect(await onServer.exportResults(PROJECT, REQUEST, { format, path: found })).toEqual({
        trials: 3000,
      });
      expect(readFileSync(found).equals(readFileSync(wanted)), format).toBe(true);
    }
    const pieces: Buffer[] = [];
    const stream = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        pieces.push(chunk);
        done();
      },
    });
    await onServer.exportResults(PROJECT, REQUEST, { format: "csv", stream });
    expect(Buffer.concat(pieces).equals(readFileSync(path.join(folder, "wanted.csv")))).toBe(true);

    const stop = new AbortController();
    const target = path.join(folder, "stopped.csv");
    const stopped = onServer.exportResults(PROJECT, REQUEST, {
      format: "csv",
      path: target,
      signal: stop.signal,
    });
    stop.abort(new Error("enough"));
    await expect(stopped).rejects.toThrow("enough");
    expect(readdirSync(folder).filter((name) => name.includes("stopped"))).toEqual([]);
  });
});
