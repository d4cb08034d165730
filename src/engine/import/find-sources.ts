import { lstat, readdir, stat } from "node:fs/promises";
import path from "node:path";
import { EvalcubeError } from "../../errors.ts";
import { fileFault } from "../../model/messages/file-fault.ts";
import { findFiles } from "../sources/find-files.ts";

/** A file to look at, and whether the caller named it: such a file must be recognised. */
export interface FoundFile {
  readonly path: string;
  readonly isNamed: boolean;
}

const PATTERN = /[*?[]/;

/** The files that a path stands for: a file, what is in a folder and below it, or the matches of a pattern. */
export async function findSources(name: string): Promise<FoundFile[]> {
  const found = await stat(name).catch((error: unknown) => error);
  if (found instanceof Error) {
    if (PATTERN.test(name)) return (await findFiles(name)).map((file) => ({ path: file, isNamed: true }));
    throw new EvalcubeError("no_source", `${name}: cannot be read: ${fileFault(found)}`, { cause: found });
  }
  if (!(found as Awaited<ReturnType<typeof stat>>).isDirectory()) return [{ path: name, isNamed: true }];
  const files = await filesBelow(name);
  if (files.length === 0) throw new EvalcubeError("no_source", `${name}: no file is in this folder`);
  return files.map((file) => ({ path: file, isNamed: false }));
}

/** The files of a folder and those below it in the order of their paths, without hidden ones and links. */
async function filesBelow(folder: string): Promise<string[]> {
  const files: string[] = [];
  for (const name of (await readdir(folder)).sort()) {
    if (name.startsWith(".")) continue;
    const inside = path.join(folder, name);
    const found = await lstat(inside);
    if (found.isDirectory()) files.push(...(await filesBelow(inside)));
    else if (found.isFile()) files.push(inside);
  }
  return files;
}
