import { lstat, readdir, stat } from "node:fs/promises";
import path from "node:path";
import { EvalcubeError } from "../../errors.ts";
import { withoutOpenDatabases } from "../../flow/open-files.ts";
import { fileFault } from "../../model/messages.ts";
import { findFiles } from "../../ingest/sources/find-files.ts";
import { DISK, type SourceFolder } from "./source-folder.ts";

/** A file to look at, what opens it, and whether the caller named it: such a file must be recognised. */
export interface FoundFile {
  readonly path: string;
  readonly isNamed: boolean;
  readonly folder: SourceFolder;
}

const URL_LIKE = /^[a-z][a-z\d+.-]+:\/\//i;
const PATTERN = /[*?[]/;

/** The files that a path stands for: a file, what is in a folder and below it, or the matches of a pattern. */
export async function findSources(name: string): Promise<FoundFile[]> {
  const found = await stat(name).catch((error: unknown) => error);
  if (found instanceof Error) {
    if (PATTERN.test(name) && !URL_LIKE.test(name)) return onDisk(await findFiles(name), false);
    if (URL_LIKE.test(name))
      throw new EvalcubeError("no_source", `${name}: is not a file: download it first`, { cause: found });
    throw new EvalcubeError("no_source", `${name}: cannot be read: ${fileFault(found)}`, { cause: found });
  }
  if (!(found as Awaited<ReturnType<typeof stat>>).isDirectory()) return onDisk([name], true);
  // Tools keep logs in a hidden folder: who names it means what is in it.
  const files = withoutOpenDatabases(
    await filesBelow(name, path.basename(path.resolve(name)).startsWith(".")),
  );
  if (files.length === 0) throw new EvalcubeError("no_source", `${name}: no file is in this folder`);
  return onDisk(files, false);
}

/**
 * The files of a folder and those below it in the order of their paths, without links and what packages bring along.
 */
async function filesBelow(folder: string, takesHidden: boolean): Promise<string[]> {
  const names = await readdir(folder).catch(() => null);
  // It fails with its reason when its turn comes.
  if (names === null) return [folder];
  const files: string[] = [];
  for (const name of names.sort()) {
    if ((name.startsWith(".") && !takesHidden) || name === "node_modules") continue;
    const inside = path.join(folder, name);
    const found = await lstat(inside);
    if (found.isDirectory()) files.push(...(await filesBelow(inside, takesHidden)));
    else if (found.isFile()) files.push(inside);
  }
  return files;
}

function onDisk(files: readonly string[], isNamed: boolean): FoundFile[] {
  return files.map((file) => ({ path: file, isNamed, folder: DISK }));
}
