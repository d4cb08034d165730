import { peakMemory } from "../../bench/run/peak-memory.ts";
import { openEngine } from "../../src/index.ts";

/**
 * Loads the NDJSON of dataset rows and calls, `<records>.rows` and `<records>.calls`; prints how many records it stored, and how much
 * memory the process took at most. The arguments are the begin of the names, the memory limit and the file of the database.
 */
const [records = "", memoryLimit = "256MiB", database = ":memory:"] = process.argv.slice(2);
const engine = await openEngine({ path: database, threads: 1, memoryLimit });
const started = performance.now();
const rows = await engine.ingestRows(`${records}.rows`);
const calls = await engine.ingestCalls(`${records}.calls`);
const seconds = (performance.now() - started) / 1000;
await engine.close();
const stored = rows.stored + calls.stored;
process.stdout.write(JSON.stringify({ stored, seconds, peakMiB: peakMemory() / 1024 ** 2 }));
