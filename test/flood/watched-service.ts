import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { Worker } from "node:worker_threads";
import { generateKey } from "../../src/http/keys/key-ring.ts";
import { basic } from "../http/running-service.ts";
import { builtProgram } from "../support/built-program.ts";
import {
  COMPLETION,
  delta,
  DONE,
  finish,
  replyWith,
  startUpstream,
  streamOf,
} from "../inference/scripted-upstream.ts";
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
  const upstream = await startUpstream();
  upstream.script("m", (response, call) => {
    upstream.calls.length = 0;
    const pieces = [...Array.from({ length: 50 }, () => delta("word ".repeat(20_000))), finish(), DONE];
    const whole = COMPLETION.replace("hello", "word ".repeat(1_000_000));
    const script = call.body.includes('"stream":true') ? streamOf(pieces) : replyWith(200, whole);
    return script(response, call);
  });
  const program = builtProgram("children/watched-service");
  const child = spawn(process.execPath, [program, keys, upstream.url], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const read = async () => String((await lines.next()).value);
  const url = await read();
  const authorization = { basic: basic(key), bearer: `Bearer ${key}` };
  return {
    /** Whether the process lives. */
    lives: () => child.exitCode === null && child.signalCode === null,
    /** Reads an answer to its end, and resolves to its beginning. */
    post: async ({ path, scheme, type, packed }: LargeBody, body: Uint8Array<ArrayBuffer>) => {
      const encoding = packed ? { "content-encoding": "gzip" } : {};
      const headers = { authorization: authorization[scheme], "content-type": type, ...encoding };
      const answer = await fetch(url + path, { method: "POST", headers, body });
      let text = "";
      for await (const chunk of answer.body ?? [])
        if (text.length < 300) text += Buffer.from(chunk).toString("utf8");
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
      await upstream.close();
    },
  };
}
