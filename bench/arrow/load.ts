import { rm } from "node:fs/promises";
import path from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { openEngine } from "../../src/index.ts";
import { callTable } from "./call-table.ts";

/** What one load came to. Bytes are of the process beside what it held before. */
export interface LoadMeasure {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakBytes: number;
  readonly longestBlockMilliseconds: number;
}

/** Loads the first `calls` of a file into a new database, from the file or from a table made of it before. */
async function load(form: "ndjson" | "arrow", ndjson: string, calls: number): Promise<LoadMeasure> {
  const store = path.join(path.dirname(ndjson), `load-${form}.duckdb`);
  await rm(store, { force: true });
  const table = form === "arrow" ? await callTable(ndjson, calls) : null;
  const engine = await openEngine({ path: store });
  // What making the table has left behind would be room that the load need not ask for.
  for (let i = 0; i < 3; i++) globalThis.gc?.();
  const before = process.memoryUsage().rss;
  let peak = before;
  const sampler = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 20);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const cpu = process.cpuUsage();
  const start = performance.now();
  const { stored } = await engine.ingestCalls(table ?? ndjson);
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  clearInterval(sampler);
  delay.disable();
  await engine.close();
  await rm(store, { force: true });
  if (stored !== calls) throw new Error(`${stored} calls were stored, not ${calls}`);
  return {
    seconds,
    cpuSeconds: (user + system) / 1e6,
    peakBytes: peak - before,
    longestBlockMilliseconds: delay.max / 1e6,
  };
}

const [form, ndjson = "", calls] = process.argv.slice(2);
process.send?.(await load(form === "arrow" ? "arrow" : "ndjson", ndjson, Number(calls)));
process.disconnect?.();
