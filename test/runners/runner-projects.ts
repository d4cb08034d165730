import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { inject } from "vitest";
import { scratchFolder } from "../support/scratch.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const EXAMPLES = path.join(ROOT, "docs/examples/runners");

/** Installs the runners, as released, in a new folder; gives the folder. */
export async function installRunners(): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), "evalcube-runners-"));
  cpSync(path.join(import.meta.dirname, "packages"), folder, { recursive: true });
  // What needs a compiler is done without.
  await promisify(execFile)("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: folder });
  return folder;
}

/** What a program printed, and how it ended. */
interface Ended {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A project with examples and installed packages, by name of the package and of the folder that it is installed in. */
export interface RunnerProject {
  readonly folder: string;
  readonly run: (
    file: string,
    args: readonly string[],
    env?: Readonly<Record<string, string>>,
  ) => Promise<Ended>;
  readonly readJson: (name: string) => unknown;
}

export function runnerProject(
  runners: string,
  packages: Readonly<Record<string, string>>,
  examples: readonly string[],
): RunnerProject {
  const folder = scratchFolder();
  const modules = path.join(folder, "node_modules");
  mkdirSync(path.join(modules, "evalcube"), { recursive: true });
  writeFileSync(path.join(folder, "package.json"), '{ "name": "@acme/qa", "type": "module" }');
  for (const [name, installed] of Object.entries(packages))
    symlinkSync(path.join(runners, "node_modules", installed), path.join(modules, name));
  for (const name of examples) cpSync(path.join(EXAMPLES, name), path.join(folder, name));
  // The package as it is built, beside its dependencies.
  const exported = { "./vitest": "./dist/vitest.js", "./evalite": "./dist/evalite.js" };
  const manifest = { name: "evalcube", type: "module", exports: exported };
  writeFileSync(path.join(modules, "evalcube/package.json"), JSON.stringify(manifest));
  symlinkSync(inject("programs"), path.join(modules, "evalcube/dist"));
  return {
    folder,
    run: async (file, args, env = {}) => {
      // What the runner of this test sets is not for the others.
      const { VITEST: _, NODE_ENV: __, ...clean } = process.env;
      const given = [path.join(modules, file), ...args];
      const options = { cwd: folder, env: { ...clean, CI: "1", NO_COLOR: "1", ...env } };
      return await promisify(execFile)(process.execPath, given, options).then(
        ({ stdout, stderr }) => ({ status: 0, stdout, stderr }),
        ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
          status: code,
          stdout,
          stderr,
        }),
      );
    },
    readJson: (name) => JSON.parse(readFileSync(path.join(folder, name), "utf8")) as unknown,
  };
}
