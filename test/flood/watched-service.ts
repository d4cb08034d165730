import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { Worker } from "node:worker_threads";
import { generateKey } from "../../src/http/keys/key-ring.ts";
import { basic } from "../http/running-service.ts";
import { builtProgram } from "../support/built-program.ts";
import type { LargeBody } from "./large-bodies.ts";

/** Asks one after another in a thread of its own: whoever sends large bodies is itself long in a turn. */
const ASKING = `
const { parentPort, workerData } = require("node:worker_threads");
let longest = 0;
let isStopped = false;
parentPort.once("message", () => (isStopped = true));
(async () => {
  await (await fetch(workerData)).text();
  parentPort.postMessage("started");
  while (!isStopped) {
    const from = performance.now();
    await (await fetch(workerData)).text();
    longest = Math.max(longest, performance.now() - from);
  }
  parentPort.postMessage(longest);
})();
`;

/** A service in a process of its own, which tells how long its turns of the event loop were. */
export async function startWatched() {
  const { key, entry } = generateKey("ann", ["acme/*"], new Date());
  const keys = JSON.stringify({ version: 1, keys: [entry] });
  const child = spawn(process.execPath, [builtProgram("children/watched-service"), keys], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const read = async () => String((await lines.next()).value);
  const url = await read();
  const authorization = { basic: basic(key), bearer: `Bearer ${key}` };
  return {
    /** Whether the process lives. */
    lives: () => child.exitCode === null && child.signalCode === null,
    post: async (
      { path, scheme }: Pick<LargeBody, "path" | "scheme">,
      body: string | Uint8Array<ArrayBuffer>,
    ) => {
      const headers = { authorization: authorization[scheme], "content-type": "application/json" };
      const answer = await fetch(url + path, { method: "POST", headers, body });
      const text = await answer.text();
      return { status: answer.status, text };
    },
    /** Asks for the health of the service until `work` has ended; resolves to the longest wait in milliseconds. */
    longestWait: async (work: () => Promise<unknown>) => {
      const asking = new Worker(ASKING, { eval: true, workerData: `${url}/healthz` });
      await once(asking, "message");
      await work();
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- A thread has no origin.
      asking.postMessage("stop");
      const [longest] = await once(asking, "message");
      await asking.terminate();
      return Math.round(Number(longest));
    },
    /** The longest turn since it was asked last, in milliseconds; `stall` holds the event loop first. */
    longestTurn: async (stall = false) => {
      child.stdin.write(stall ? "stall\n" : "\n");
      return Number(await read());
    },
    stop: async () => {
      child.stdin.end();
      if (child.exitCode === null) await once(child, "exit");
    },
  };
}
