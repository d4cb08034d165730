import { setTimeout } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** How often a collection shows what is alive. */
const EVERY_MS = 30;

/** The most that is alive in JavaScript while something is done, beyond what was before, in MiB: objects and buffers, not DuckDB's memory. */
export async function liveWhile(work: () => Promise<unknown>): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const alive = () => {
    collect();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return (heapUsed + arrayBuffers) / 2 ** 20;
  };
  // Buffers are given back a while after their collection.
  collect();
  await setTimeout(1000);
  const before = alive();
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, alive())), EVERY_MS);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return most - before;
}
