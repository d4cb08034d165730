import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { packPackage, readManifest, ROOT } from "../../build/release/pack.ts";

const run = promisify(execFile);

/** Milliseconds that a build may take on a busy machine; a quiet one takes ten seconds. */
export const SLOW_BUILD = 600_000;

/** A project that has installed the package as it would be published. */
export interface UserProject {
  readonly folder: string;
  /** The file that `npm publish` would send. */
  readonly tarball: string;
  /** Runs a file with this text under Node, or with another command; gives what it prints. */
  run(file: string, text: string, command?: readonly string[]): Promise<string>;
  remove(): Promise<void>;
}

/** Builds and packs the package, and installs it beside its dependencies, in a project in a folder of its own. */
export async function installPackage(): Promise<UserProject> {
  const scratch = await mkdtemp(path.join(tmpdir(), "evalcube-package-"));
  const folder = path.join(scratch, "user");
  const installed = path.join(folder, "node_modules");
  const tarball = await packPackage(scratch);
  await mkdir(path.join(installed, "evalcube"), { recursive: true });
  await run("tar", ["-xzf", tarball, "-C", path.join(installed, "evalcube"), "--strip-components=1"]);
  for (const name of new Set([...(await dependencies()), "@types"]))
    await symlink(path.join(ROOT, "node_modules", name), path.join(installed, name));
  await writeFile(path.join(folder, "package.json"), JSON.stringify({ dependencies: { evalcube: "*" } }));
  return {
    folder,
    tarball,
    run: async (file, text, [command = "", ...args] = [process.execPath]) => {
      await writeFile(path.join(folder, file), text);
      const { stdout } = await run(command, [...args, file], { cwd: folder });
      return stdout;
    },
    remove: () => rm(scratch, { recursive: true, force: true }),
  };
}

/** The dependencies, of those in a scope the scope. */
async function dependencies(): Promise<string[]> {
  const manifest = await readManifest();
  return Object.keys(manifest.dependencies).map((name) => name.split("/")[0] ?? name);
}
