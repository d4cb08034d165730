import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
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

/** A program of ours that answers lines with lines, in a process of its own. */
function startProgram(name: `children/${string}`, ...args: readonly string[]) {
  const child = spawn(process.execPath, [builtProgram(name), ...args], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const read = async () => String((await lines.next()).value);
  return {
    child,
    read,
    answer: async (line = "") => {
      child.stdin.write(`${line}\n`);
      return read();
    },
    end: async () => {
      child.stdin.end();
      if (child.exitCode === null) await once(child, "exit");
    },
  };
}

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
  const { child, read, answer, end } = startProgram("children/watched-service", keys, upstream.url);
  const url = await read();
  const asker = startProgram("children/health-asker", `${url}/healthz`);
  const authorization = { basic: basic(key), bearer: `Bearer ${key}` };
  return {
    /** Whether the process lives. */
    lives: () => child.exitCode === null && child.signalCode === null,
    /** Reads an answer to its end, and resolves to its beginning. */
    post: async ({ path, scheme, type, packed }: LargeBody, body: Uint8Array<ArrayBuffer>) => {
      const encoding = packed ? { "content-encoding": "gzip" } : {};
      const headers = { authorization: authorization[scheme], "content-type": type, ...encoding };
      const response = await fetch(url + path, { method: "POST", headers, body });
      let text = "";
      for await (const chunk of response.body ?? [])
        if (text.length < 300) text += Buffer.from(chunk).toString("utf8");
      return { status: response.status, text };
    },
    /** Asks for the health of the service until `work` has ended; resolves to the longest wait in milliseconds. */
    longestWait: async (work: () => Promise<unknown>) => {
      await asker.answer();
      await work();
      return Number(await asker.answer());
    },
    /** The longest turn since it was asked last, in milliseconds; `stall` holds the event loop first. */
    longestTurn: async (stall = false) => Number(await answer(stall ? "stall" : "")),
    stop: async () => {
      await Promise.all([asker.end(), end()]);
      await upstream.close();
    },
  };
}
