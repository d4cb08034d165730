import { execFile } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { writeRecords } from "../../../bench/import/records.ts";
import { lmEvalResults, sampleLine, writeRun } from "../../import/lm-eval-logs.ts";

/** Size of the samples file. 2048 is a large one of a real run; it takes twelve minutes and 7 GB of disk. */
const MEBIBYTES = Number(process.env["MEBIBYTES"] ?? 512);
const LIMIT_MIB = 512;

const folder = mkdtempSync(path.join(tmpdir(), "evalcube-large-samples-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** What a program of its own loads into a new database. */
async function load<Measured>(program: string, source: string): Promise<Measured> {
  const child = path.join(import.meta.dirname, "../../children", program);
  const database = path.join(folder, "loaded.duckdb");
  const args = ["--import", "tsx", child, source, `${LIMIT_MIB}MiB`, database];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  rmSync(database);
  return JSON.parse(stdout) as Measured;
}

/** Words that differ from line to line, so that nothing is small because it repeats. */
function words(seed: number, count: number): string {
  return Array.from({ length: count }, (_, i) => ((seed * 7919 + i * 104729) % 1e7).toString(36)).join(" ");
}

/** A question that is asked after five examples: 8 kB a line, of which a quarter is the row. */
function line(docId: number) {
  const question = words(docId, 150);
  return sampleLine(docId, "none", docId % 2, {
    doc: { question, passage: words(docId + 1e6, 150), gold: docId % 2 },
    arguments: { gen_args_0: { arg_0: `${words(docId % 5, 600)}\n${question}`, arg_1: { until: ["\n"] } } },
    resps: [[words(docId + 2e6, 100)]],
    filtered_resps: [words(docId + 2e6, 100)],
  });
}

/** Appends lines to the samples file of a run until it has so many bytes; gives how many there are. */
async function writeLines(samples: string, bytes: number): Promise<number> {
  const out = createWriteStream(samples);
  let lines = 0;
  for (let size = 0; size < bytes; lines++) {
    const text = `${JSON.stringify(line(lines))}\n`;
    size += text.length;
    if (!out.write(text)) await once(out, "drain");
  }
  out.end();
  await once(out, "finish");
  return lines;
}

describe(`samples of lm-eval of ${MEBIBYTES} MiB`, () => {
  it(`are imported with at most 512 MiB beside what ingest takes of the same records, with a memoryLimit of ${LIMIT_MIB} MiB`, async () => {
    const log = writeRun(folder, lmEvalResults({ "exact_match,none": 0.5 }), [line(0)]);
    const samples = path.join(
      folder,
      path.basename(log).replace(/^results_(.*)\.json$/, "samples_sums_$1.jsonl"),
    );
    const lines = await writeLines(samples, MEBIBYTES * 1024 ** 2);
    const records = path.join(folder, "records");
    await writeRecords(log, records);
    const ingested = await load<{ readonly peakMiB: number }>("ingest-records.ts", records);
    const imported = await load<{ readonly peakMiB: number; readonly trials: number }>("import-log.ts", log);
    process.stdout.write(
      `${lines} lines: at most ${Math.round(imported.peakMiB)} MiB, of ingest ${Math.round(ingested.peakMiB)} MiB\n`,
    );
    expect(imported.trials).toBe(lines);
    expect(imported.peakMiB).toBeLessThan(ingested.peakMiB + 512);
  });
});
