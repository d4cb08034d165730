import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEngine } from "../../src/index.ts";
import { createKey } from "../../src/http/keys/keys-file.ts";
import { busyMachine } from "../report/machine.ts";
import { addedLatency, type AddedLatency } from "./latency.ts";
import { median } from "../run/measures.ts";
import { growthOfStalledReader, growthOfStreams } from "./memory.ts";
import { startServer, type ServerProcess } from "./processes.ts";
import { abortTimes, endTimes, HELD_MODEL, openHolder, type Holder } from "./reactions.ts";
import { formatResults, writeResults, type Result } from "./results.ts";
import {
  DASHBOARD_PAGES,
  dashboardPage,
  filteredPage,
  PAGE,
  PROJECT,
  smallProject,
  SUMMARY,
} from "./small-project.ts";
import { throughput, type Throughput } from "./throughput.ts";

const MIB = 1024 * 1024;
const ROUNDS = 4;

function milliseconds(value: number): string {
  return `${value.toFixed(2)} ms`;
}

function latencyResult(measure: string, bar: number, { direct, through, added }: AddedLatency): Result {
  const value = `${milliseconds(added)} (${milliseconds(direct)} direct, ${milliseconds(through)} through)`;
  return { measure, value, bar: `< ${bar} ms`, met: added < bar };
}

function reactionResult(measure: string, bar: number, times: readonly number[]): Result {
  const most = Math.max(...times);
  const value = `${milliseconds(most)} (median ${milliseconds(median(times))})`;
  return { measure, value, bar: `< ${bar} ms`, met: most < bar };
}

function growthResult(measure: string, growths: readonly number[]): Result {
  // The first time fills buffers and caches that stay.
  const [first = 0, ...later] = growths.map((bytes) => bytes / MIB);
  const most = Math.max(...later);
  const value = `${most.toFixed(1)} MiB (${first.toFixed(1)} MiB the first time)`;
  return { measure, value, bar: "< 8 MiB", met: most < 8 };
}

function loadResults(measure: string, bars: boolean, load: Throughput): Result[] {
  const { perSecond, p50, p99, processorMs } = load;
  const rate = `${Math.round(perSecond).toLocaleString("en-US")}/s (${milliseconds(processorMs)} of processor each)`;
  const spread = `${milliseconds(p99)} (median ${milliseconds(p50)})`;
  return [
    { measure, value: rate, ...(bars ? { bar: "≥ 1,000/s", met: perSecond >= 1000 } : {}) },
    { measure: `${measure}, p99`, value: spread, ...(bars ? { bar: "< 40 ms", met: p99 < 40 } : {}) },
  ];
}

interface Servers {
  readonly service: ServerProcess;
  readonly upstream: ServerProcess;
  readonly holder: Holder;
}

async function measureAll({ service, upstream, holder }: Servers, key: string): Promise<Result[]> {
  const direct = { url: upstream.url, key };
  const through = { url: service.url, key };
  const authorization = `Basic ${Buffer.from(`api:${key}`).toString("base64")}`;
  const path = `/v2/${PROJECT}/eval_results/query`;
  const query = { method: "POST", path, authorization } as const;
  const same = { ...query, body: () => JSON.stringify(PAGE) };
  const dashboard = { ...query, body: (at: number) => JSON.stringify(dashboardPage(at)) };
  const each = { ...query, body: (at: number) => JSON.stringify(filteredPage(at)) };
  const summary = { ...query, body: () => JSON.stringify(SUMMARY) };
  const health = { method: "GET", path: "/healthz", authorization } as const;
  return [
    latencyResult("added to a whole completion, median", 1, await addedLatency(direct, through, "whole")),
    latencyResult("added to the first token, median", 2, await addedLatency(direct, through, "short")),
    reactionResult("abort reaches the model server, longest", 100, await abortTimes(holder, through)),
    reactionResult("end after `[DONE]`, longest", 50, await endTimes(holder, through)),
    growthResult("memory: 100 streams at once", await growthOfStreams(service, through, ROUNDS)),
    growthResult("memory: a reader that stops", await growthOfStalledReader(service, through, ROUNDS)),
    ...loadResults("one page again and again", true, await throughput(service, through, same)),
    ...loadResults("one summary again and again", true, await throughput(service, through, summary)),
    ...loadResults(
      `${DASHBOARD_PAGES} pages with their summaries, in turn`,
      true,
      await throughput(service, through, dashboard),
    ),
    ...loadResults("pages, each with another filter", true, await throughput(service, through, each)),
    ...loadResults("`/healthz`", false, await throughput(service, through, health)),
  ];
}

async function main(write: boolean): Promise<void> {
  const busy = busyMachine();
  const folder = await mkdtemp(join(tmpdir(), "evalcube-bench-service-"));
  const upstream = await startServer("bench/service/upstream.ts");
  const holder = await openHolder();
  try {
    const [db, keys, inference] = ["b.duckdb", "keys.json", "inference.json"].map((name) =>
      join(folder, name),
    );
    if (db === undefined || keys === undefined || inference === undefined) return;
    const engine = await openEngine({ path: db });
    await engine.ingestCalls(smallProject());
    await engine.close();
    const { key } = await createKey(keys, { user: "ann", projects: ["acme/*"] });
    const upstreams = [
      { base_url: `${upstream.url}/v1` },
      { base_url: `${holder.url}/v1`, models: [HELD_MODEL] },
    ];
    await writeFile(inference, JSON.stringify({ upstreams }));
    const args = ["--db", db, "--keys", keys, "--inference", inference, "--port", "0"];
    const service = await startServer("src/cli/main.ts", ["serve", ...args, "--log-level", "warn"]);
    try {
      const results = await measureAll({ service, upstream, holder }, key);
      console.log(formatResults(results));
      if (write) await writeResults(results, busy);
    } finally {
      await service.stop();
    }
  } finally {
    holder.close();
    await upstream.stop();
    await rm(folder, { recursive: true });
  }
}

await main(process.argv.includes("--write"));
