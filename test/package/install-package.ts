import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";

const root = path.join(import.meta.dirname, "../..");
const run = promisify(execFile);

/** A project that has installed the package as it would be published. */
export interface UserProject {
  readonly folder: string;
  /** Runs a file with this text under Node; gives what it prints. */
  run(file: string, text: string): Promise<string>;
  remove(): Promise<void>;
}

/** Builds the package and installs it, with its dependencies, in a project in a folder of its own. */
export async function installPackage(): Promise<UserProject> {
  const scratch = await mkdtemp(path.join(tmpdir(), "evalcube-package-"));
  const built = path.join(scratch, "evalcube");
  const folder = path.join(scratch, "user");
  const tsc = path.join(root, "node_modules/typescript/bin/tsc");
  await run(process.execPath, [tsc, "-p", "tsconfig.build.json", "--outDir", path.join(built, "dist")], {
    cwd: root,
  });
  for (const name of ["package.json", "sql"])
    await cp(path.join(root, name), path.join(built, name), { recursive: true });
  await symlink(path.join(root, "node_modules"), path.join(built, "node_modules"));
  await mkdir(path.join(folder, "node_modules"), { recursive: true });
  await symlink(built, path.join(folder, "node_modules/evalcube"));
  for (const name of ["@types", "apache-arrow"])
    await symlink(path.join(root, "node_modules", name), path.join(folder, "node_modules", name));
  return {
    folder,
    run: async (file, text) => {
      await writeFile(path.join(folder, file), text);
      const { stdout } = await run(process.execPath, [file], { cwd: folder });
      return stdout;
    },
    remove: () => rm(scratch, { recursive: true, force: true }),
  };
}
