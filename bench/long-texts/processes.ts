import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createKey } from "../../src/http/keys/keys-file.ts";

/** The built command: what makes TypeScript into JavaScript takes some 80 MB. */
const COMMAND = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/** What `used.mjs` tells of a process. */
interface Used {
  readonly cpuMs: number;
  readonly peakBytes: number;
}

export interface Ended extends Used {
  readonly status: number;
  readonly output: string;
}

/** Runs the command in a process of its own. */
export async function runCommand(
  folder: string,
  memoryLimit: string,
  args: readonly string[],
): Promise<Ended> {
  const file = join(folder, "used.json");
  const env = { ...process.env, EVALCUBE_MEMORY_LIMIT: memoryLimit, EVALCUBE_BENCH_USED: file };
  const preload = ["--import", import.meta.resolve("./used.mjs")];
  const child = spawn(process.execPath, [...preload, COMMAND, ...args], { env });
  const said: Buffer[] = [];
  child.stdout.on("data", (piece: Buffer) => said.push(piece));
  child.stderr.on("data", (piece: Buffer) => said.push(piece));
  await once(child, "close");
  const used = JSON.parse(readFileSync(file, "utf8")) as Used;
  return { ...used, status: child.exitCode ?? -1, output: Buffer.concat(said).toString("utf8") };
}

/** A request, and what is expected of its answer. */
export interface Asked {
  readonly path: string;
  readonly body: object;
  readonly accept?: string;
}

/** What one request took. */
export interface Spent {
  readonly cpuMs: number;
  /** What the process grew by at its highest. */
  readonly grownBytes: number;
  /** The longest that others waited meanwhile, beside what they wait for an idle service. */
  readonly waitedMs: number;
  readonly text: string;
}

export interface Service {
  readonly ask: (asked: Asked) => Promise<Spent>;
  /** Ends it as a supervisor does; resolves to the time that takes. */
  readonly stop: () => Promise<number>;
}

/** The service over a file, in a process of its own. */
export async function startService(db: string, memoryLimit: string): Promise<Service> {
  const keys = `${db}.keys.json`;
  const { key } = await createKey(keys, { user: "ann", projects: ["*"] });
  const args = ["serve", "--db", db, "--keys", keys, "--port", "0", "--log-level", "warn"];
  const env = { ...process.env, EVALCUBE_MEMORY_LIMIT: memoryLimit };
  const child = spawn(process.execPath, [COMMAND, ...args], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const { value: line = "" } = await lines.next();
  const [url = ""] = /https?:\/\/[^\s/]+/.exec(String(line)) ?? [];
  const pid = child.pid ?? 0;
  const headers = {
    authorization: `Basic ${Buffer.from(`api:${key}`).toString("base64")}`,
    "content-type": "application/json",
  };
  return {
    async ask({ path, body, accept }) {
      const before = memoryOf(pid, "VmRSS");
      writeFileSync(`/proc/${pid}/clear_refs`, "5");
      const begun = processorMs(pid);
      const others = watchOthers(`${url}/healthz`);
      const all = accept === undefined ? headers : { ...headers, accept };
      const answer = await fetch(`${url}${path}`, {
        method: "POST",
        headers: all,
        body: JSON.stringify(body),
      });
      const text = await answer.text();
      const { probes, waitedMs } = await others.end();
      const cpuMs = processorMs(pid) - begun - probes * PROBE_MS;
      if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${text.slice(0, 300)}`);
      return { cpuMs, waitedMs, text, grownBytes: memoryOf(pid, "VmHWM") - before };
    },
    async stop() {
      const begun = performance.now();
      child.kill("SIGTERM");
      if (child.exitCode === null) await once(child, "exit");
      return performance.now() - begun;
    },
  };
}

/** Processor time of a probe, some of which is taken off what it stands beside. */
const PROBE_MS = 0.5;
const PROBE_PAUSE_MS = 50;

/** Asks something else again and again. */
function watchOthers(url: string): { end(): Promise<{ probes: number; waitedMs: number }> } {
  const state = { over: false, probes: 0, waitedMs: 0 };
  const probing = (async () => {
    await pause(PROBE_PAUSE_MS);
    while (!state.over) {
      const begun = performance.now();
      await fetch(url).then((answer) => answer.text());
      state.waitedMs = Math.max(state.waitedMs, performance.now() - begun);
      state.probes++;
      await pause(PROBE_PAUSE_MS);
    }
  })();
  return {
    async end() {
      state.over = true;
      await probing;
      return state;
    },
  };
}

/** Processor time of all threads that are alive. */
function processorMs(pid: number): number {
  const tasks = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = tasks.map((task) =>
    Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]),
  );
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1e6;
}

function memoryOf(pid: number, name: "VmRSS" | "VmHWM"): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) * 1024;
}
