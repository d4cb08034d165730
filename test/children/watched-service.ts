import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { createHttpHandler } from "../../src/http/handler.ts";
import type { KeysFile } from "../../src/http/keys/key-ring.ts";
import { serveHttp } from "../../src/http/node/serve.ts";
import { openEngine } from "../../src/index.ts";

/**
 * A service that tells its longest turns: for each line on standard input the milliseconds of the longest one since the line before. The
 * line `stall` holds the event loop for half a second first. On Linux, how long the thread waited for a processor does not count, so
 * that other processes of the machine do not.
 */
const [, , keys = "", upstream = ""] = process.argv;
const engine = await openEngine({ threads: 2 });
const handler = createHttpHandler(engine, {
  keys: JSON.parse(keys) as KeysFile,
  inference: { upstreams: [{ base_url: upstream }] },
});
const { url } = await serveHttp(handler, { port: 0 });
let longest = 0;
let last = clock();
setInterval(() => {
  const now = clock();
  longest = Math.max(longest, now - last);
  last = now;
}, 1);

/** Milliseconds without those in which the main thread was ready and had no processor. */
function clock(): number {
  return performance.now() - waitedForProcessor();
}

function waitedForProcessor(): number {
  if (process.platform !== "linux") return 0;
  const [, waited = 0] = readFileSync("/proc/self/schedstat", "utf8").split(" ").map(Number);
  return waited / 1e6;
}
process.stdout.write(`${url}\n`);

for await (const line of createInterface({ input: process.stdin })) {
  if (line === "stall") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
  await new Promise((resolve) => setTimeout(resolve, 20));
  process.stdout.write(`${Math.round(longest)}\n`);
  longest = 0;
}
await engine.close();
process.exit(0);
