import { spawn } from "node:child_process";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtProgram } from "../support/built-program.ts";

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts the command, with more environment variables; signals reach it directly. */
export function start(
  args: readonly string[],
  folder: string,
  environment: NodeJS.ProcessEnv = {},
): ChildProcessWithoutNullStreams {
  const env = { ...process.env, ...environment };
  return spawn(process.execPath, [builtProgram("cli/main"), ...args], { cwd: folder, env });
}

/** As {@link start}, where no file grows beyond 1 MiB. */
export function startWithoutRoom(args: readonly string[], folder: string): ChildProcessWithoutNullStreams {
  const limited = 'ulimit -f 2048 && exec "$@"';
  return spawn("sh", ["-c", limited, "sh", process.execPath, builtProgram("cli/main"), ...args], {
    cwd: folder,
  });
}

/** As {@link start}, where the process may have 64 files open. */
export function startWithFewFiles(args: readonly string[], folder: string): ChildProcessWithoutNullStreams {
  const limited = 'ulimit -n 64 && exec "$@"';
  return spawn("sh", ["-c", limited, "sh", process.execPath, builtProgram("cli/main"), ...args], {
    cwd: folder,
  });
}

/** Runs the command to its end, with `input` on standard input. */
export function evalcube(
  args: readonly string[],
  folder: string,
  input: string | Buffer = "",
): Promise<Ended> {
  const child = start(args, folder);
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  return ended(child);
}

export function ended(child: ChildProcessWithoutNullStreams): Promise<Ended> {
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status) => resolve({ status, stdout, stderr }));
  });
}

/** A folder of its own for one test file, with a function that removes it. */
export function temporaryFolder(): { readonly folder: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), "evalcube-cli-"));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export const PROJECT = "acme/qa";

/** Two evaluations of three rows: `good` is right on every row, `bad` on the first only. */
export function exampleCalls(): object[] {
  const calls: object[] = [];
  for (const id of ["good", "bad"]) {
    const inputs = { self: "svc:///acme/qa/object/set:v1", model: `svc:///acme/qa/object/model-${id}:v1` };
    calls.push(call(id, "Evaluation.evaluate", { display_name: `the ${id} one`, inputs }));
    for (const n of [0, 1, 2]) {
      const output = {
        output: `answer ${n}`,
        scores: { correct: id === "good" || n === 0, length: n + 0.5 },
      };
      calls.push(call(`${id}-${n}`, TRIAL, { parent_id: id, inputs: { example: { n } }, output }));
    }
  }
  return calls;
}

export const TRIAL = "Evaluation.predict_and_score";

export function call(id: string, opName: string, members: object = {}): object {
  return { id, project_id: PROJECT, op_name: opName, started_at: "2025-01-01T00:00:00Z", ...members };
}

export function ndjson(records: readonly object[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}

/** Writes a file into the folder and gives its path. */
export function put(folder: string, name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** What standard error says of an invalid request or command line. */
export function complaint(text: string): { readonly reason: string; readonly detail: readonly object[] } {
  return JSON.parse(text) as { reason: string; detail: object[] };
}
