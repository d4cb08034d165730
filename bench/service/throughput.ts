import { Pool } from "undici";
import type { Target } from "./latency.ts";
import type { ServerProcess } from "./processes.ts";

const CONNECTIONS = 32;
const WARM_MS = 2_000;
const TIMED_MS = 8_000;

/** A load of small requests over 32 connections. Times in ms. */
export interface Throughput {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** Processor time of the server for each request. */
  readonly processorMs: number;
}

export interface LoadRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly authorization: string;
  /** The body of the n-th request. */
  readonly body?: (at: number) => string;
}

/** Each connection asks again as soon as it has its answer. */
export async function throughput(
  server: ServerProcess,
  target: Target,
  { method, path, authorization, body }: LoadRequest,
): Promise<Throughput> {
  const pool = new Pool(new URL(target.url).origin, { connections: CONNECTIONS });
  const headers = { authorization, "content-type": "application/json" };
  const times: number[] = [];
  let asked = 0;
  const ask = async () => {
    const text = body?.(asked++) ?? null;
    const start = performance.now();
    const response = await pool.request({ method, path, headers, body: text });
    await response.body.dump();
    if (response.statusCode !== 200) throw new Error(`answered ${response.statusCode}`);
    times.push(performance.now() - start);
  };
  const run = async (ms: number) => {
    times.length = 0;
    const end = performance.now() + ms;
    const connection = async () => {
      while (performance.now() < end) await ask();
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  };
  await run(WARM_MS);
  const [before, start] = [await server.processorMs(), performance.now()];
  await run(TIMED_MS);
  const seconds = (performance.now() - start) / 1000;
  const used = (await server.processorMs()) - before;
  await pool.close();
  const sorted = times.toSorted((a, b) => a - b);
  const percentile = (share: number) => sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;
  return {
    perSecond: sorted.length / seconds,
    p50: percentile(0.5),
    p99: percentile(0.99),
    processorMs: used / sorted.length,
  };
}
