import type { Pool } from "undici";
import { busyMachine, describeMachine } from "../report/machine.ts";
import { formatResults, type Result } from "../service/results.ts";
import { withService } from "./client.ts";
import { completeBodies, feedbackBody, PROJECT } from "./program.ts";

const BATCHES = 30;
const BATCH = 1000;
const FEEDBACK = 5000;
/** Batches that are stored before the time is taken. */
const WARM = 4;
/** How many batches are on the way at the same time: one, and as many as a program of the Python SDK has. */
const LANES = [1, 8] as const;
const ASK_EVERY_MS = 20;
const MIB = 1024 * 1024;

async function rate(bodies: readonly string[], lanes: number): Promise<Result[]> {
  return withService(async ({ server, post, pool }) => {
    const path = `/v2/${PROJECT}/calls/complete`;
    for (const body of bodies.slice(0, WARM)) await post(path, body);
    const queue = bodies.slice(WARM);
    const times: number[] = [];
    const lane = async () => {
      for (let body = queue.shift(); body !== undefined; body = queue.shift()) {
        const began = performance.now();
        await post(path, body);
        times.push(performance.now() - began);
      }
    };
    const watch = watchOthers(pool);
    const [before, began] = [await server.processorMs(), performance.now()];
    await Promise.all(Array.from({ length: lanes }, lane));
    const seconds = (performance.now() - began) / 1000;
    const used = ((await server.processorMs()) - before) / times.length;
    const slowest = await watch.stop();
    const perSecond = (times.length * BATCH) / seconds;
    const name = `batches of ${BATCH} finished calls, ${lanes} at a time`;
    const memory = (await server.memory()) / MIB;
    return [
      {
        measure: name,
        value: `${Math.round(perSecond).toLocaleString("en-US")} calls/s (${used.toFixed(0)} ms of processor a batch)`,
        bar: "≥ 5,000/s",
        met: perSecond >= 5000,
      },
      { measure: `${name}, slowest`, value: `${Math.max(...times).toFixed(0)} ms`, bar: "< 30 s" },
      { measure: `${name}, slowest answer to \`/healthz\` meanwhile`, value: `${slowest.toFixed(0)} ms` },
      { measure: `${name}, memory after`, value: `${memory.toFixed(0)} MiB` },
    ];
  });
}

/** Asks for something small again and again, and tells the longest wait. */
function watchOthers(pool: Pool): { readonly stop: () => Promise<number> } {
  let slowest = 0;
  const ask = async () => {
    const began = performance.now();
    const { body } = await pool.request({ method: "GET", path: "/healthz" });
    await body.dump();
    slowest = Math.max(slowest, performance.now() - began);
  };
  const asked: Promise<void>[] = [];
  const timer = setInterval(() => void asked.push(ask()), ASK_EVERY_MS);
  return {
    stop: async () => {
      clearInterval(timer);
      await Promise.all(asked);
      return slowest;
    },
  };
}

async function feedback(): Promise<Result> {
  return withService(async ({ post }) => {
    const body = feedbackBody(FEEDBACK);
    const began = performance.now();
    await post("/feedback/batch/create", body);
    const ms = performance.now() - began;
    return {
      measure: `one batch of ${FEEDBACK} records of feedback`,
      value: `${ms.toFixed(0)} ms`,
      bar: "< 5,000 ms",
      met: ms < 5000,
    };
  });
}

const busy = busyMachine();
const bodies = completeBodies(BATCHES, BATCH);
const results: Result[] = [];
for (const lanes of LANES) results.push(...(await rate(bodies, lanes)));
results.push(await feedback());
console.log((await describeMachine()).join("\n"));
if (busy !== null) console.log(busy);
console.log(formatResults(results));
