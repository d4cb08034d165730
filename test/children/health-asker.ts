import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";

/**
 * Asks for the health of a service again and again from one line of standard input to the next, and tells the longest wait in
 * milliseconds. In a process of its own: whoever sends large bodies is itself long in a turn, and its threads share locks of memory.
 */
const [, , url = ""] = process.argv;
let isAsking = false;

async function wait(): Promise<number> {
  const from = performance.now();
  await (await fetch(url)).text();
  return performance.now() - from;
}

async function longestWait(): Promise<number> {
  let longest = 0;
  while (isAsking) {
    longest = Math.max(longest, await wait());
    await pause(1);
  }
  return longest;
}

let asking = Promise.resolve(0);
for await (const _ of createInterface({ input: process.stdin })) {
  isAsking = !isAsking;
  if (isAsking) {
    // The connection is made first.
    await wait();
    asking = longestWait();
    process.stdout.write("asking\n");
  } else process.stdout.write(`${Math.round(await asking)}\n`);
}
