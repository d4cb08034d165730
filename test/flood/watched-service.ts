import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { generateKey } from "../../src/http/keys/key-ring.ts";
import { basic } from "../http/running-service.ts";
import { builtProgram } from "../support/built-program.ts";
import type { LargeBody } from "./large-bodies.ts";

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
    post: async ({ path, scheme }: Pick<LargeBody, "path" | "scheme">, body: string) => {
      const headers = { authorization: authorization[scheme], "content-type": "application/json" };
      const answer = await fetch(url + path, { method: "POST", headers, body });
      const text = await answer.text();
      return { status: answer.status, text };
    },
    /** Asks for the health of the service until `work` has ended; resolves to the longest wait in milliseconds. */
    longestWait: async (work: Promise<unknown>) => {
      const state = { isDone: false };
      let longest = 0;
      const ended = work.finally(() => (state.isDone = true));
      while (!state.isDone) {
        const from = performance.now();
        await (await fetch(`${url}/healthz`)).text();
        longest = Math.max(longest, performance.now() - from);
      }
      await ended;
      return Math.round(longest);
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
