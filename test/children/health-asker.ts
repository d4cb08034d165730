import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";

/**
 * Asks for the health of a service again and again from one line of standard input to the next, and tells the longest wait in
 * milliseconds. In a process of its own: whoever sends large bodies is itself long in a turn, and its threads share locks of memory.
 */
const [, , url = ""] = process.argv;
async function wait(): Promise<number> {
  const from = performance.now();
  await (await fetch(url)).text();
  return performance.now() - from;
}

async function longestWait(until: AbortSignal): Promise<number> {
  let longest = 0;
  while (!until.aborted) {
    longest = Math.max(longest, await wait());
    await pause(1);
  }
  return longest;
}

let asking: { readonly end: AbortController; readonly longest: Promise<number> } | null = null;
for await (const _ of createInterface({ input: process.stdin })) {
  if (asking === null) {
    // The connection is made first.
    await wait();
    const end = new AbortController();
    asking = { end, longest: longestWait(end.signal) };
    process.stdout.write("asking\n");
  } else {
    asking.end.abort();
    process.stdout.write(`${Math.round(await asking.longest)}\n`);
    asking = null;
  }
}
