import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** A server in a process of its own. */
export interface ServerProcess {
  readonly url: string;
  /** Bytes that are in memory, without what several processes share. */
  memory(): Promise<number>;
  /** Processor time so far, in ms. */
  processorMs(): Promise<number>;
  stop(): Promise<void>;
}

/** Runs a script below the repository, with TypeScript; the address is in the first line that it prints. */
export async function startServer(script: string, args: readonly string[] = []): Promise<ServerProcess> {
  const path = fileURLToPath(new URL(`../../${script}`, import.meta.url));
  const execArgs = ["--import", import.meta.resolve("tsx"), path, ...args];
  const child = spawn(process.execPath, execArgs, { stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface(child.stdout)) {
    const url = /https?:\S+/.exec(line)?.[0];
    if (url !== undefined) return { url, ...accountOf(child), stop: () => stop(child) };
  }
  throw new Error(`${script} did not start`);
}

/** Linux counts a hundred ticks a second. */
const TICK_MS = 10;

function accountOf(child: ChildProcess): Pick<ServerProcess, "memory" | "processorMs"> {
  const read = (name: string) => readFile(`/proc/${child.pid}/${name}`, "utf8");
  return {
    async memory() {
      return Number(/^RssAnon:\s+(\d+) kB$/m.exec(await read("status"))?.[1]) * 1024;
    },
    async processorMs() {
      const fields = (await read("stat")).replace(/^.*\) /, "").split(" ");
      return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
    },
  };
}

async function stop(child: ChildProcess): Promise<void> {
  child.kill("SIGTERM");
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}
