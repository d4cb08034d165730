import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { openEngine } from "../../../src/index.ts";
import { generateKey } from "../../../src/http/keys/key-ring.ts";
import { startServed } from "../../cli/served.ts";
import {
  COMPLETION,
  delta,
  DONE,
  finish,
  replyWith,
  startUpstream,
  streamOf,
} from "../../inference/scripted-upstream.ts";
import { PROJECT, root, trial } from "../../support/records.ts";

/** Rows of each of the two evaluations; the answer to all of them has some four megabytes. */
const ROWS = 1000;
const TEXT = "What is the answer? ".repeat(50);
/** A stream of chat takes some two seconds. */
const DELTAS = 40;
const GAP_MS = 50;

/** Without it, garbage is up to half of what the process holds: V8 knows nothing of the memory that DuckDB has for results. */
export const COLLECTED_EVERY_MS = 5000;
const COLLECTOR = `
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
setFlagsFromString("--expose-gc");
setInterval(runInNewContext("gc"), ${COLLECTED_EVERY_MS}).unref();`;
const ENVIRONMENT = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(COLLECTOR)}`,
  // What each thread leaves in a part of its own of the C library's memory shall not count as growth.
  MALLOC_ARENA_MAX: "2",
};

/** `evalcube serve` with evaluations, and a model server behind it. */
export interface SoakedService {
  readonly port: number;
  readonly key: string;
  /** What the process has now. */
  readonly sample: () => Sample;
  /** Resolves to the exit status. */
  readonly stop: () => Promise<number | null>;
}

export interface Sample {
  readonly residentBytes: number;
  readonly descriptors: number;
}

export async function startSoaked(folder: string): Promise<SoakedService> {
  const database = path.join(folder, "evals.duckdb");
  const engine = await openEngine({ path: database });
  await engine.ingestCalls(
    ["e", "f"].flatMap((id) => [root(id), ...Array.from({ length: ROWS }, (_, n) => row(id, n))]),
  );
  await engine.close();
  const upstream = await startUpstream();
  const pieces = [
    ...Array.from({ length: DELTAS }, (_, at) => delta(`word ${at} `.repeat(20))),
    finish(),
    DONE,
  ];
  upstream.script("slow", streamOf(pieces, { pace: () => pause(GAP_MS) }));
  upstream.script("whole", replyWith(200, COMPLETION));
  upstream.script("silent", () => {});
  // What it has heard is of no use here, and would pile up.
  const forget = setInterval(() => (upstream.calls.length = 0), 1000);
  const { key, entry } = generateKey("ann", ["acme/*"], new Date());
  const write = (name: string, content: object) => {
    writeFileSync(path.join(folder, name), JSON.stringify(content));
    return path.join(folder, name);
  };
  const keys = write("keys.json", { version: 1, keys: [entry] });
  const inference = write("inference.json", { upstreams: [{ base_url: upstream.url }] });
  const files = ["--db", database, "--keys", keys, "--inference", inference];
  const served = await startServed([...files, "--memory-limit", "256MiB"], folder, ENVIRONMENT);
  return {
    port: Number(new URL(served.url).port),
    key,
    sample: () => sampleOf(served.child.pid ?? 0),
    stop: async () => {
      served.child.kill("SIGTERM");
      const { status } = await served.end;
      clearInterval(forget);
      await upstream.close();
      return status;
    },
  };
}

function row(evaluation: string, n: number) {
  const scores = { acc: n % 7, ok: n % 3 === 0 };
  return trial(`${evaluation}${n}`, { n, text: TEXT }, scores, {
    parent_id: evaluation,
    project_id: PROJECT,
  });
}

function sampleOf(pid: number): Sample {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return {
    residentBytes: Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
  };
}
