import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { totalmem } from "node:os";
import { fileURLToPath } from "node:url";
import type { Assignment, Command, Reply } from "./protocol.ts";

/** A subject in a process of its own, so that its memory is its own and nobody else's garbage is collected in its time. */
export interface SubjectProcess {
  readonly subject: Assignment["subject"];
  ask(command: Command): Promise<Reply>;
  stop(): Promise<void>;
}

export function startSubject(assignment: Assignment): SubjectProcess {
  const heap = Math.floor((totalmem() / 1e6) * 0.7);
  const child = fork(fileURLToPath(new URL("child.ts", import.meta.url)), [JSON.stringify(assignment)], {
    execArgv: [`--max-old-space-size=${heap}`, "--import", import.meta.resolve("tsx")],
    stdio: ["ignore", 2, 2, "ipc"],
  });
  return {
    subject: assignment.subject,
    ask: async (command) => {
      const reply = await exchange(child, command);
      if (reply.error !== undefined)
        throw new Error(`${assignment.subject}: ${command.kind}: ${reply.error}`);
      return reply;
    },
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.disconnect();
      await once(child, "exit");
    },
  };
}

async function exchange(child: ChildProcess, command: Command): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const stopped = (code: number | null, signal: string | null): void => {
      reject(new Error(`the subject's process ended during ${command.kind} (${signal ?? code})`));
    };
    child.once("exit", stopped);
    child.once("message", (reply: Reply) => {
      child.off("exit", stopped);
      resolve(reply);
    });
    child.send(command);
  });
}
