import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Recorded } from "./check-states.ts";
import { readFolder, writeFolder } from "./folders.ts";
import { readTrace } from "./trace.ts";

/** Where runs are kept of which a state failed. */
const KEPT = process.env["DISK_KEEP"] ?? path.join(tmpdir(), "evalcube-disk-runs");

/** Keeps a recorded session under a name; answers its folder. */
export function keepRun(name: string, { before, trace, done, count, expected }: Recorded): string {
  const folder = path.join(KEPT, name);
  mkdirSync(folder, { recursive: true });
  writeFolder(path.join(folder, "before"), new Map(Array.from(before, ([file, { bytes }]) => [file, bytes])));
  const inodes = Object.fromEntries(Array.from(before, ([file, { inode }]) => [file, inode]));
  writeFileSync(path.join(folder, "run.json"), JSON.stringify({ done, count, inodes }));
  copyFileSync(trace, path.join(folder, "trace"));
  copyFileSync(expected, path.join(folder, "expected.json"));
  return folder;
}

export function readKeptRun(folder: string): Recorded {
  const text = readFileSync(path.join(folder, "run.json"), "utf8");
  const { done, count, inodes } = JSON.parse(text) as {
    done: number;
    count: number;
    inodes: Record<string, number>;
  };
  const before = Array.from(readFolder(path.join(folder, "before")), ([name, { bytes }]) => {
    return [name, { inode: inodes[name] ?? 0, bytes }] as const;
  });
  const trace = path.join(folder, "trace");
  return {
    before: new Map(before),
    entries: readTrace(trace),
    trace,
    done,
    count,
    expected: path.join(folder, "expected.json"),
  };
}
