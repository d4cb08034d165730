import { fork, type ChildProcess } from "node:child_process";
import path from "node:path";
import type { Verdict } from "./check-state.ts";
import type { Question } from "./children/checker.ts";

/** Processes that check databases: a damaged one may take its process with it. */
export interface Checkers {
  readonly check: (question: Question) => Promise<Verdict>;
  readonly count: number;
  readonly close: () => void;
}

const MOST_MS = 120_000;

export function startCheckers(program: string, count: number): Checkers {
  const script = path.join(program, "test/slow/disk/children/checker.js");
  const idle: ChildProcess[] = [];
  const start = () => fork(script, [], { execArgv: [], stdio: ["ignore", "ignore", "pipe", "ipc"] });
  return {
    count,
    check: async (question) => {
      const child = idle.pop() ?? start();
      const verdict = await ask(child, question);
      if (child.connected) idle.push(child);
      return verdict;
    },
    close: () => {
      for (const child of idle) child.disconnect();
    },
  };
}

/** Its answer, or how the process ended. */
function ask(child: ChildProcess, question: Question): Promise<Verdict> {
  return new Promise((resolve) => {
    let said = "";
    const hear = (text: Buffer) => void (said = `${said}${text.toString()}`.slice(-400));
    const late = setTimeout(() => child.kill("SIGKILL"), MOST_MS);
    const done = (verdict: Verdict) => {
      clearTimeout(late);
      child.removeAllListeners("message").removeAllListeners("exit");
      child.stderr?.removeAllListeners("data");
      resolve(verdict);
    };
    child.stderr?.on("data", hear);
    child.once("message", (verdict: Verdict) => done(verdict));
    child.once("exit", (code, signal) =>
      done({ problems: [`the process that opened it ended (${signal ?? code}): ${said}`], prefix: null }),
    );
    child.send(question);
  });
}
