import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { builtProgram } from "./built-program.ts";

/** A process of more is ended, before the machine is. */
const FATAL_MIB = 4096;

export interface Watched {
  /** `answered`, the code of the error, or `died` and `killed` of a process that is no more. */
  readonly outcome: string;
  readonly said: string;
  readonly seconds: number;
  /** The most that was resident beyond what the process had when it was idle. */
  readonly growthMiB: number;
  readonly stallMs: number;
}

/** A process with an engine that answers statements, watched from outside. */
export interface WatchedEngine {
  /** With strict limits, or as its owner. */
  readonly ask: (statement: string, timeLimitSeconds: number, by?: "owner") => Promise<Watched>;
  readonly alive: () => boolean;
  readonly close: () => Promise<void>;
}

export interface WatchedOptions {
  /** Of a database that is not there yet. */
  readonly file: string;
  /** A process that takes so much longer than a statement may is killed. */
  readonly patienceSeconds: number;
}

export async function watchEngine(options: WatchedOptions): Promise<WatchedEngine> {
  const { file, patienceSeconds } = options;
  const child = spawn(process.execPath, [builtProgram("children/answer-statements"), file], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  const exited = once(child, "exit");
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  await lines.next();
  const idle = memoryOf(child, "VmRSS");
  const alive = () => child.exitCode === null && child.signalCode === null;
  const ask: WatchedEngine["ask"] = async (statement, timeLimitSeconds, by) => {
    writeFileSync(`/proc/${child.pid}/clear_refs`, "5");
    const began = performance.now();
    const elapsed = () => (performance.now() - began) / 1000;
    const limits = by === "owner" ? undefined : "strict";
    child.stdin.write(`${JSON.stringify({ statement, timeLimitSeconds, limits })}\n`);
    const answer = lines.next();
    let answered = false;
    const seen = answer.finally(() => (answered = true));
    let peak = 0;
    let killed = false;
    for (;;) {
      // So often the process is looked at; the answer ends the wait.
      await Promise.race([seen, sleep(20)]);
      peak = Math.max(peak, alive() ? memoryOf(child, "VmHWM") : 0);
      if (answered || killed) break;
      killed = elapsed() > timeLimitSeconds + patienceSeconds || peak - idle > FATAL_MIB;
      if (killed) child.kill("SIGKILL");
    }
    const seconds = elapsed();
    const { value } = await seen;
    const measured = { seconds, growthMiB: peak - idle };
    if (value === undefined) {
      await exited;
      return { outcome: killed ? "killed" : "died", said: "", stallMs: 0, ...measured };
    }
    const said = JSON.parse(value) as Pick<Watched, "outcome" | "said" | "stallMs">;
    return { ...said, ...measured };
  };
  const close = async () => {
    child.stdin.end();
    if (alive()) await exited;
  };
  return { ask, alive, close };
}

function memoryOf({ pid }: ChildProcess, field: "VmRSS" | "VmHWM"): number {
  const found = new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(found?.[1] ?? 0) / 1024;
}
