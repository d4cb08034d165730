import { randomBytes } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Pool } from "undici";
import { openEngine } from "../../src/index.ts";
import { createKey } from "../../src/http/keys/keys-file.ts";
import { startServer } from "./processes.ts";
import { filteredPage, PROJECT, smallProject } from "./small-project.ts";

// How long others wait while a service makes a backup of a large database and sends it.

const MIB = 1024 * 1024;
const TEXT_BYTES = 750_000;

const { values } = parseArgs({ options: { bytes: { type: "string", default: "2e9" } } });
const wanted = Number(values.bytes);

/** Trials whose outputs cannot be compressed to less than three quarters. */
async function* largeTrials(bytes: number): AsyncGenerator<object> {
  const common = {
    project_id: PROJECT,
    started_at: "2026-01-01T00:00:00Z",
    ended_at: "2026-01-01T00:00:01Z",
  };
  yield { ...common, id: "large", op_name: "Evaluation.evaluate" };
  for (let at = 0; at * TEXT_BYTES < bytes; at++) {
    const output = { output: randomBytes(TEXT_BYTES).toString("base64"), scores: { correct: true } };
    const inputs = { example: { question: `question ${at}` } };
    yield {
      ...common,
      id: `large-${at}`,
      parent_id: "large",
      op_name: "Evaluation.predict_and_score",
      inputs,
      output,
    };
  }
}

async function* lines(records: AsyncIterable<object>): AsyncGenerator<Uint8Array> {
  for await (const record of records) yield Buffer.from(`${JSON.stringify(record)}\n`);
}

/** What others ask, and how long they wait for each, in ms. */
interface Waits {
  readonly health: number[];
  readonly page: number[];
  readonly store: number[];
}

/** Asks again and again until told to end. */
async function askAll(pool: Pool, authorization: string, ends: () => boolean): Promise<Waits> {
  const waits: Waits = { health: [], page: [], store: [] };
  const ask = async (to: number[], request: Parameters<Pool["request"]>[0]) => {
    for (let at = 0; !ends(); at++) {
      const body = request.method === "POST" ? bodyOf(request.path, at) : null;
      const start = performance.now();
      const reply = await pool.request({ ...request, body });
      await reply.body.dump({ limit: Number.MAX_SAFE_INTEGER });
      if (reply.statusCode !== 200) throw new Error(`${request.path}: status ${reply.statusCode}`);
      to.push(performance.now() - start);
      await pause(20);
    }
  };
  const headers = { authorization, "content-type": "application/json" };
  await Promise.all([
    ask(waits.health, { path: "/healthz", method: "GET" }),
    ask(waits.page, { path: `/v2/${PROJECT}/eval_results/query`, method: "POST", headers }),
    ask(waits.store, { path: "/feedback/create", method: "POST", headers }),
  ]);
  return waits;
}

function bodyOf(path: string, at: number): string {
  if (path.endsWith("/query")) return JSON.stringify(filteredPage(at));
  const weave_ref = `weave:///${PROJECT}/call/e1-${at % 100}`;
  return JSON.stringify({ project_id: PROJECT, weave_ref, feedback_type: "note", payload: { at } });
}

function told(name: string, waits: readonly number[]): string {
  const sorted = waits.toSorted((a, b) => a - b);
  const at = (share: number) =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(0);
  return `  ${name}: ${sorted.length} answers, median ${at(0.5)} ms, p99 ${at(0.99)}, longest ${at(1)}`;
}

const folder = await mkdtemp(join(tmpdir(), "evalcube-bench-backup-"));
try {
  const [db, keys, copy] = [join(folder, "b.duckdb"), join(folder, "keys.json"), join(folder, "copy.duckdb")];
  const engine = await openEngine({ path: db });
  await engine.ingestCalls(smallProject());
  await engine.ingestFile({ ndjson: lines(largeTrials(wanted)), name: "large trials" });
  await engine.close();
  const { key } = await createKey(keys, { user: "ann", projects: ["*"], can: "admin" });
  const authorization = `Basic ${Buffer.from(`api:${key}`).toString("base64")}`;
  const args = ["--db", db, "--keys", keys, "--port", "0", "--log-level", "warn"];
  const service = await startServer("src/cli/main.ts", ["serve", ...args]);
  const pool = new Pool(service.url, { headersTimeout: 0, bodyTimeout: 0 });
  try {
    console.log(`a database of ${((await stat(db)).size / MIB).toFixed(0)} MiB`);
    const before = Date.now() + 10_000;
    console.log("alone");
    for (const [name, waits] of Object.entries(await askAll(pool, authorization, () => Date.now() > before)))
      console.log(told(name, waits));
    let done = false;
    const others = askAll(pool, authorization, () => done);
    const start = performance.now();
    const reply = await pool.request({ path: "/backup", method: "POST", headers: { authorization } });
    const first = performance.now() - start;
    await pipeline(reply.body, createWriteStream(copy));
    const seconds = (performance.now() - start) / 1000;
    done = true;
    const size = (await stat(copy)).size / MIB;
    console.log(
      `beside a backup of ${size.toFixed(0)} MiB: first byte ${(first / 1000).toFixed(1)} s, all ${seconds.toFixed(1)} s`,
    );
    for (const [name, waits] of Object.entries(await others)) console.log(told(name, waits));
  } finally {
    await pool.close();
    await service.stop();
  }
} finally {
  await rm(folder, { recursive: true });
}
