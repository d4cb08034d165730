import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import type { Random } from "../../../src/stats/numeric/random.ts";

/** How a command ended, and what it had said until then. */
export interface Ended {
  readonly killed: boolean;
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningCommand {
  readonly child: ChildProcess;
  /** Resolves when standard output matches, or has ended. */
  readonly said: (text: RegExp) => Promise<RegExpExecArray | null>;
  readonly ended: Promise<Ended>;
}

/** Starts the built command, in a process that a signal reaches directly. */
export function startCommand(program: string, args: readonly string[]): RunningCommand {
  const child = spawn(process.execPath, [path.join(program, "src/cli/main.js"), ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => void (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (stderr += text));
  const closed = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>;
  const ended = closed.then(([status, signal]) => ({ killed: signal === "SIGKILL", status, stdout, stderr }));
  return {
    child,
    ended,
    said: async (text) => {
      for (;;) {
        const match = text.exec(stdout);
        if (match !== null || child.stdout.readableEnded) return match;
        await Promise.race([once(child.stdout, "data"), closed]);
      }
    },
  };
}

/** Moments of kills: they lie within a run, however long that takes on this machine. */
export interface Pace {
  /** A time within a run. */
  readonly moment: (random: Random) => number;
  /** Takes note how long a run took that was not disturbed. */
  readonly took: (milliseconds: number) => void;
}

export function createPace(guess: number): Pace {
  let typical = guess;
  return {
    moment: (random) => random() * typical,
    took: (milliseconds) => void (typical = (typical + milliseconds) / 2),
  };
}
