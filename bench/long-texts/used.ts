import { writeFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";
import { peakMemory } from "../run/peak-memory.ts";

/** What a process used, told by itself at its end, since nobody else knows the peak of a process that has gone. */
export interface Used {
  readonly cpuMs: number;
  readonly peakBytes: number;
}

export const USED_FILE = "EVALCUBE_BENCH_USED";

const file = process.env[USED_FILE];
if (file !== undefined && isMainThread)
  process.on("exit", () => {
    const { user, system } = process.cpuUsage();
    writeFileSync(
      file,
      JSON.stringify({ cpuMs: (user + system) / 1000, peakBytes: peakMemory() } satisfies Used),
    );
  });
