import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { busyMachine, describeMachine } from "../report/machine.ts";
import { median } from "../run/measures.ts";
import { formatResults, type Result } from "../service/results.ts";
import { withService, type Client } from "./client.ts";
import { completeBodies } from "./program.ts";

/** Of each load. */
const PAGES = 25;
const PAUSE_MS = 100;
const PAGE_ROWS = 50;
const BATCH = 1000;
const MOST = 2;
const MOST_BATCHES = 300;

/** What is stored meanwhile: so many batches at the same time, each lane with a pause behind each batch. */
const LOADS = [
  { name: "nothing is stored", lanes: 0, pauseMs: 0 },
  { name: "1,000 calls a second are stored", lanes: 1, pauseMs: 1000 },
  { name: "batch after batch is stored", lanes: 1, pauseMs: 0 },
  { name: "eight batches at a time are stored", lanes: 8, pauseMs: 0 },
] as const;

const { values } = parseArgs({ options: { db: { type: "string" }, project: { type: "string" } } });
const { db, project } = values;
if (db === undefined || project === undefined)
  throw new Error("--db PATH --project ENTITY/PROJECT: a copy of a database, since it is written to");

let page = 0;

/** Milliseconds of each of some pages, no two of which are the same. */
async function timePages({ post }: Client, evaluations: readonly string[]): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < PAGES; i++) {
    const body = { evaluation_call_ids: evaluations, limit: PAGE_ROWS, offset: ++page * PAGE_ROWS };
    const began = performance.now();
    await post(`/v2/${project}/eval_results/query`, JSON.stringify(body));
    times.push(performance.now() - began);
    await sleep(PAUSE_MS);
  }
  return times;
}

let trials = 0;

/** Stores batches until it is stopped; resolves to how many calls those were. */
function store({ post }: Client, lanes: number, pauseMs: number): { readonly stop: () => Promise<number> } {
  const bodies = lanes === 0 ? [] : completeBodies(MOST_BATCHES, BATCH, project, trials);
  trials += MOST_BATCHES * BATCH;
  const stopping = new AbortController();
  let stored = 0;
  const lane = async () => {
    for (let body = bodies.pop(); body !== undefined && !stopping.signal.aborted; body = bodies.pop()) {
      await post(`/v2/${project}/calls/complete`, body);
      stored += BATCH;
      if (pauseMs > 0) await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const done = Promise.all(Array.from({ length: lanes }, lane));
  return {
    stop: async () => {
      stopping.abort();
      await done;
      return stored;
    },
  };
}

const busy = busyMachine();
const results = await withService(async (client) => {
  const evaluations = await client.evaluations(project);
  await timePages(client, evaluations);
  let quiet = 0;
  const all: Result[] = [];
  for (const { name, lanes, pauseMs } of LOADS) {
    const loading = store(client, lanes, pauseMs);
    const began = performance.now();
    const times = await timePages(client, evaluations);
    const seconds = (performance.now() - began) / 1000;
    const rate = Math.round((await loading.stop()) / seconds);
    if (lanes === 0) quiet = median(times);
    const ratio = median(times) / quiet;
    all.push({
      measure: `a page of ${PAGE_ROWS} rows while ${name}, median of ${PAGES}`,
      value: `${median(times).toFixed(0)} ms (slowest ${Math.max(...times).toFixed(0)} ms; ${rate} calls/s): ${ratio.toFixed(2)} x`,
      ...(lanes === 0 ? {} : { bar: `≤ ${MOST} x`, met: ratio <= MOST }),
    });
  }
  return all;
}, db);
console.log((await describeMachine()).join("\n"));
if (busy !== null) console.log(busy);
console.log(formatResults(results));
