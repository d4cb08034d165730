import { execFile } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { DATABASE, type Recorded } from "./check-states.ts";
import { openDisk, type Files } from "./disk.ts";
import { readFolder } from "./folders.ts";
import type { Operation } from "./operations.ts";
import { recordSession, type Session, type Tools } from "./sessions.ts";
import { readTrace, type Entry } from "./trace.ts";

/** Where a scenario takes place, and how many of its operations are stored there. */
export interface Place {
  readonly folder: string;
  readonly done: number;
  readonly expected: string;
}

/** Writes what is expected after each operation to a file; answers its path. */
export async function writeExpected(
  program: string,
  operations: readonly Operation[],
  folder: string,
): Promise<string> {
  const [input, output] = [path.join(folder, "operations.json"), path.join(folder, "expected.json")];
  writeFileSync(input, JSON.stringify(operations));
  const script = path.join(program, "test/slow/disk/children/expectation.js");
  await promisify(execFile)(process.execPath, [script, input, output]);
  return output;
}

/** A session as it was recorded, and what went wrong in it. */
export type Run = Recorded & { readonly error: string | null };

export async function record(
  tools: Tools,
  session: Session,
  operations: readonly Operation[],
  { folder, done, expected }: Place,
): Promise<Run> {
  const live = liveFolder(folder);
  const trace = path.join(folder, "trace");
  rmSync(trace, { force: true });
  const before = readFolder(live);
  const recording = {
    folder: live,
    database: path.join(live, DATABASE),
    trace,
    scratch: path.join(folder, "scratch"),
  };
  const error = await recordSession(tools, session, operations, recording).then(
    () => null,
    (reason: unknown) => String(reason),
  );
  rmSync(path.join(live, "marks"), { force: true });
  const entries = readTrace(trace);
  checkTrace(before, entries, live);
  return { before, entries, trace, done, count: operations.length, expected, error };
}

/** What the recorder says must lead to what is there. */
function checkTrace(before: Files, entries: readonly Entry[], live: string): void {
  const disk = openDisk(before);
  for (const entry of entries) disk.apply(entry);
  const told = disk.afterKill();
  const found = readFolder(live);
  const names = new Set([...told.keys(), ...found.keys()]);
  const wrong = [...names].filter(
    (name) => found.get(name)?.bytes.equals(told.get(name) ?? NOTHING) !== true,
  );
  if (wrong.length > 0) throw new Error(`the trace tells other contents of ${wrong.join(", ")}`);
}

const NOTHING = Buffer.alloc(0);

export function liveFolder(folder: string): string {
  return path.join(folder, "live");
}
