import { readFileSync } from "node:fs";
import { openEngine } from "../../src/index.ts";

/**
 * Runs an evaluation of as many trials as the second argument says, three instant scorers each, into the file of its first. Prints
 * the most memory that was resident so far, in MiB, after every 2,500 trials, and how long turns of the event loop lasted, in milliseconds.
 */
const [file = "", trials = "0"] = process.argv.slice(2);
const engine = await openEngine({ path: file, threads: 1, memoryLimit: "32MiB" });
const total = Number(trials);
const peaks: [number, number][] = [];
let next = 0;

/** Processor time of this thread in milliseconds, which other processes do not lengthen. */
function busyMs(): number {
  return Number(readFileSync("/proc/thread-self/schedstat", "latin1").split(" ")[0]) / 1e6;
}

/** How long the event loop was kept by turns of a millisecond and more. */
const turns: number[] = [];
let before = busyMs();
let isRunning = true;
function turn(): void {
  const now = busyMs();
  if (now - before >= 1) turns.push(now - before);
  before = now;
  if (isRunning) setImmediate(turn);
}
setImmediate(turn);

function* rows() {
  for (let n = 0; n < total / 4; n++) yield { n, question: `What comes after ${n}, and why does it?` };
}
const began = performance.now();
const run = await engine.evaluate("acme/qa", {
  name: "many",
  model: "bot",
  data: rows,
  task: ({ n }, { trial }) => `${n + 1}, since ${trial} says so`,
  scorers: {
    correct: ({ row, output }) => output.startsWith(String(row.n)),
    length: ({ output }) => output.length,
    judge: ({ trial }) => ({ helpful: trial / 3, tone: "kind" }),
  },
  trials: 4,
  maxConcurrency: 16,
  onProgress: ({ done }) => {
    if (done < next) return;
    next = done + 2500;
    peaks.push([done, process.resourceUsage().maxRSS / 2 ** 10]);
  },
});
isRunning = false;
const seconds = (performance.now() - began) / 1000;
await engine.close();
turns.sort((a, b) => a - b);
process.stdout.write(
  JSON.stringify({
    trials: run.trials,
    seconds,
    peaks,
    p99: turns[Math.floor(turns.length * 0.99)],
    longest: turns.at(-1),
    turns: turns.length,
  }),
);
