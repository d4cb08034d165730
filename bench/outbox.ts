import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { CallRecord } from "../src/ingest/record/sent-records.ts";
import { createOutbox } from "../src/logging/outbox.ts";
import { openSink } from "../src/runners/sink.ts";
import { evaluationRun } from "./generate/evaluation-run.ts";
import { sizes } from "./generate/parameters.ts";
import { trialLines } from "./generate/trial-calls.ts";

/**
 * `npx tsx bench/outbox.ts [TRIALS]`: trials that come one by one, each 5 ms after the one before, as a runner tells them: written at
 * once, and where each waits for others. Both in turns, three times.
 */
const TRIALS = Number(process.argv[2] ?? 400);
const APART_MS = 5;
const parameters = sizes.small;

async function store(db: string, waitMs: number): Promise<void> {
  const run = evaluationRun(parameters, 0);
  const sink = await openSink(db, `${db}.ndjson`, (reason) => {
    throw new Error(reason);
  });
  const outbox = createOutbox(sink.store.write, waitMs);
  const before = process.cpuUsage();
  for (let trial = 0; trial < TRIALS; trial++) {
    const lines = trialLines(parameters, run, run.firstRow, trial);
    const records = lines.map((line) => JSON.parse(line) as CallRecord);
    void outbox.add({ records, size: lines.join("").length, stored: () => undefined });
    await delay(APART_MS);
  }
  const error = await outbox.flush();
  const { user, system } = process.cpuUsage(before);
  await sink.close();
  if (error !== null) throw error;
  console.log(`wait ${waitMs} ms: ${Math.round((user + system) / 1000)} ms of processor time`);
}

const folder = await mkdtemp(path.join(tmpdir(), "evalcube-outbox-"));
try {
  for (let turn = 0; turn < 6; turn++)
    await store(path.join(folder, `${turn}.duckdb`), turn % 2 === 0 ? 600 : 0);
} finally {
  await rm(folder, { recursive: true });
}
