import { spawn } from "node:child_process";
import { once } from "node:events";
import { openSync, closeSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { generateKey } from "../../../src/http/keys/key-ring.ts";
import { ndjson } from "../../support/records.ts";
import { USER } from "./apply.ts";
import { recordsOf, type Operation } from "./operations.ts";
import { sendOperation } from "./service-writer.ts";
import { recordedEnvironment } from "./toolchain.ts";
import { appendMark } from "./trace.ts";

/** A process that opens the database, does operations one after another, and ends. */
export interface Session {
  readonly by: "library" | "ingest" | "serve";
  /** How many of the scenario's operations. */
  readonly count: number;
  readonly end: "kill" | "close";
  readonly threads?: number;
}

/** What is built for the processes, and where. */
export interface Tools {
  readonly library: string;
  readonly program: string;
}

export interface Recording {
  /** The recorded folder, without links in its path. */
  readonly folder: string;
  readonly database: string;
  readonly trace: string;
  /** For files that are not recorded. */
  readonly scratch: string;
}

/** Runs a session under the recorder. */
export async function recordSession(
  tools: Tools,
  session: Session,
  operations: readonly Operation[],
  recording: Recording,
): Promise<void> {
  await RECORDERS[session.by](tools, session, operations, recording);
}

type Recorder = (
  tools: Tools,
  session: Session,
  operations: readonly Operation[],
  recording: Recording,
) => Promise<void>;

const RECORDERS: Readonly<Record<Session["by"], Recorder>> = {
  library: async (tools, { end, threads = 1 }, operations, recording) => {
    const plan = path.join(recording.scratch, "plan.json");
    const marks = path.join(recording.folder, "marks");
    writeFileSync(plan, JSON.stringify({ database: recording.database, marks, threads, end, operations }));
    const child = start(tools, recording, ["test/slow/disk/children/workload.js", plan], "ignore");
    await ended(child, end === "kill" ? "SIGKILL" : 0);
  },
  /** Its standard output is recorded: each line acknowledges a file. */
  ingest: async (tools, _session, operations, recording) => {
    const files = operations.map((operation, i) => {
      const file = path.join(recording.scratch, `source-${i}.ndjson`);
      writeFileSync(file, ndjson(recordsOf(operation)));
      return file;
    });
    const marks = openSync(path.join(recording.folder, "marks"), "a");
    const child = start(
      tools,
      recording,
      ["src/cli/main.js", "ingest", "--db", recording.database, ...files],
      marks,
    );
    await ended(child, 0);
    closeSync(marks);
  },
  serve: async (tools, { end }, operations, recording) => {
    const { key, entry } = generateKey(USER, ["acme/*"], new Date());
    const keys = path.join(recording.scratch, "keys.json");
    writeFileSync(keys, JSON.stringify({ version: 1, keys: [entry] }));
    const args = ["serve", "--port", "0", "--log-level", "error", "--db", recording.database, "--keys", keys];
    const child = start(tools, recording, ["src/cli/main.js", ...args], "pipe");
    const url = await addressOf(child);
    for (const operation of operations) {
      await sendOperation(url, key, operation);
      appendMark(recording.trace);
    }
    child.kill(end === "kill" ? "SIGKILL" : "SIGTERM");
    await ended(child, end === "kill" ? "SIGKILL" : 0);
  },
};

type Child = ReturnType<typeof spawn>;

function start(
  tools: Tools,
  { folder, trace }: Recording,
  [script = "", ...args]: string[],
  output: "ignore" | "pipe" | number,
): Child {
  const env = recordedEnvironment(tools.library, folder, trace);
  const stdio = ["ignore", output, "pipe"] as const;
  return spawn(process.execPath, [path.join(tools.program, script), ...args], { env, stdio: [...stdio] });
}

async function ended(child: Child, wanted: number | "SIGKILL"): Promise<void> {
  let said = "";
  child.stderr?.on("data", (text: Buffer) => void (said = `${said}${text.toString()}`.slice(-2000)));
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  const found = child.signalCode ?? child.exitCode;
  if (found !== wanted)
    throw new Error(`the recorded process ended with ${found} instead of ${wanted}: ${said}`);
}

async function addressOf({ stdout }: Child): Promise<string> {
  if (stdout === null) throw new Error("the service has no output");
  for await (const line of createInterface(stdout)) {
    const url = /^evalcube listens on (http:\S+) \(page: /.exec(line)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error("the service did not start");
}
