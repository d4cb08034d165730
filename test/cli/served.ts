import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { ended, start, type Ended } from "./command.ts";

/** `evalcube serve` in a process of its own. */
export interface Served {
  readonly url: string;
  readonly child: ChildProcessWithoutNullStreams;
  /** Resolves at the end of the process. */
  readonly end: Promise<Ended>;
  /** Resolves when the log has a line with this text. */
  readonly logged: (text: string) => Promise<void>;
}

/** Starts it on a free port and waits for its address. */
export async function startServed(
  args: readonly string[],
  folder: string,
  environment?: NodeJS.ProcessEnv,
): Promise<Served> {
  const child = start(["serve", "--port", "0", ...args], folder, environment);
  const end = ended(child);
  let log = "";
  child.stderr.on("data", (text: string) => (log += text));
  const [line] = (await Promise.race([once(child.stdout, "data"), once(child, "close")])) as [unknown];
  const url = /^evalcube listens on (http:\S+)(?: \(page: \1\/view\/\))?\n$/.exec(String(line))?.[1];
  if (url === undefined) throw new Error(`the service did not start: ${log}`);
  return {
    url,
    child,
    end,
    logged: async (text) => {
      while (!log.includes(text)) await once(child.stderr, "data");
    },
  };
}

/** Credentials for either scheme. */
export function bearer(key: string): string {
  return `Bearer ${key}`;
}

export function basic(key: string, user = "api"): string {
  return `Basic ${Buffer.from(`${user}:${key}`).toString("base64")}`;
}
