import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const FOLDER = fileURLToPath(new URL("programs/", import.meta.url));
/** A Python that has the package `weave`. */
const PYTHON = process.env["WEAVE_PYTHON"] ?? "python3";
/** A folder `node_modules` that has the package `weave`. */
const NODE_MODULES = process.env["WEAVE_NODE_MODULES"] ?? "";

/** Why the programs of an SDK cannot run here; null where they can. */
export const missing = {
  python:
    spawnSync(PYTHON, ["-c", "import weave"], { stdio: "ignore" }).status === 0
      ? null
      : "WEAVE_PYTHON names no Python with the package weave",
  typescript: existsSync(path.join(NODE_MODULES, "weave"))
    ? null
    : "WEAVE_NODE_MODULES names no folder with the package weave",
};

/** What a program has seen, by scenario, and what it wrote elsewhere. */
export interface Seen {
  readonly scenarios: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  readonly exitCode: number | null;
  /** Lines of the SDK about something that went wrong. */
  readonly complaints: readonly string[];
}

interface Where {
  readonly url: string;
  readonly key: string;
  readonly project: string;
  /** Which scenarios; default all. */
  readonly scenarios?: string;
}

/** Runs the program of an SDK against a service. */
export async function runProgram(
  sdk: "python" | "typescript",
  { url, key, project, scenarios }: Where,
): Promise<Seen> {
  const [program, script] =
    sdk === "python" ? [PYTHON, "log_and_read.py"] : [process.execPath, "log-and-read.mjs"];
  const folder = await mkdtemp(path.join(tmpdir(), "evalcube-sdk-"));
  const env = {
    ...process.env,
    WF_TRACE_SERVER_URL: url,
    WANDB_BASE_URL: url,
    WANDB_API_KEY: key,
    WANDB_DIR: folder,
    // Its own, or the SDK does not send what an earlier run has sent to a project of that name.
    WEAVE_SERVER_CACHE_DIR: path.join(folder, "cache"),
    WEAVE_PROJECT: project,
    ...(scenarios === undefined ? {} : { SCENARIOS: scenarios }),
  };
  const child = spawn(program, [path.join(FOLDER, script)], { env, stdio: ["ignore", "pipe", "pipe"] });
  const exit = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [said, complained, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), exit]);
  await rm(folder, { recursive: true });
  const lines = said.split("\n").filter((line) => line.startsWith('{"scenario"'));
  return {
    scenarios: new Map(
      lines.map((line) => {
        const { scenario, ...seen } = JSON.parse(line) as { scenario: string };
        return [scenario, seen];
      }),
    ),
    exitCode,
    complaints: `${said}\n${complained}`.split("\n").filter((line) => COMPLAINT.test(line)),
  };
}

const COMPLAINT = /error sending|job failed|failed to|task failed|dropping|giving up/i;
