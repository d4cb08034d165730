import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { EvalcubeError } from "../errors.ts";
import type { Store } from "../model/session.ts";
import { sql, text } from "../model/sql.ts";

const READABLE = /\.(ndjson|jsonl)(\.gz)?$|\.(parquet|arrows?|feather|ipc)$/i;

/**
 * The files that a path stands for, in the order of their names: the file itself, those with a known ending in
 * a folder and below it, or those that a pattern with `*`, `?`, `[…]` and `**` matches.
 */
export async function findFiles(store: Store, name: string): Promise<string[]> {
  const found = await stat(name).catch((error: unknown) => error);
  if (found instanceof Error) {
    const matches = /[*?[]/.test(name) ? await matching(store, name) : [];
    if (matches.length > 0) return matches;
    throw new EvalcubeError("no_source", `${name}: cannot be read: ${found.message}`, { cause: found });
  }
  if (!(found as Awaited<ReturnType<typeof stat>>).isDirectory()) return [name];
  const files = await filesBelow(name);
  if (files.length > 0) return files;
  throw new EvalcubeError("no_source", `${name}: the folder holds no file that can be loaded`);
}

async function matching(store: Store, pattern: string): Promise<string[]> {
  const files: string[] = [];
  for await (const rows of store.stream(sql`SELECT file FROM glob(${text(pattern)}) ORDER BY file`))
    files.push(...rows.map(([file]) => String(file)));
  return files;
}

/** Names that begin with a dot or an underscore are notes of the program that wrote the folder. */
async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const files: string[] = [];
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (/^[._]/.test(entry.name)) continue;
    const inside = path.join(folder, entry.name);
    const isFolder = entry.isDirectory() || (entry.isSymbolicLink() && (await stat(inside)).isDirectory());
    if (isFolder) files.push(...(await filesBelow(inside)));
    else if (READABLE.test(entry.name)) files.push(inside);
  }
  return files;
}
