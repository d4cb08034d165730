import { cp, mkdir } from "node:fs/promises";
import path from "node:path";
import { npm } from "./npm.ts";
import { ROOT } from "./pack.ts";
import { row, type Row } from "./rows.ts";
import { run } from "./users.ts";

/** By the name of a row: the program of a runtime below the installed programs, and what comes before a file. */
const RUNTIMES: Readonly<Record<string, readonly [file: string, ...before: string[]]>> = {
  "Node 20": ["node20/bin/node"],
  "Node 22": ["node22/bin/node"],
  "Node 24": ["node24/bin/node"],
  "Node 26": ["node26/bin/node"],
  Bun: ["@oven/bun-linux-x64/bin/bun"],
  Deno: ["@deno/linux-x64-glibc/deno", "run", "--allow-all"],
};

/** Installs the programs that `build/rehearsal` pins, without scripts; resolves to their `node_modules`. */
export async function installRuntimes(scratch: string): Promise<string> {
  const folder = path.join(scratch, "programs");
  await mkdir(folder);
  for (const name of ["package.json", "package-lock.json"])
    await cp(path.join(ROOT, "build/rehearsal", name), path.join(folder, name));
  await npm(folder, "ci", "--ignore-scripts", "--no-audit", "--no-fund");
  return path.join(folder, "node_modules");
}

/** The programs of a user under each runtime, in a folder with the package. */
export async function underRuntimes(folder: string, programs: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [name, [file, ...before]] of Object.entries(RUNTIMES)) {
    const program = path.join(programs, file);
    rows.push(
      await row(name, {
        smoke: () => run(program, [...before, "smoke.mjs"], folder),
        module: () => run(program, [...before, "module.mjs"], folder),
        CommonJS: () => run(program, [...before, "common.cjs"], folder),
      }),
    );
  }
  return rows;
}

/** The file of a runtime, for what compares versions. */
export function runtimeFile(programs: string, name: keyof typeof RUNTIMES): string {
  return path.join(programs, RUNTIMES[name]?.[0] ?? "");
}
