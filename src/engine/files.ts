import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { EvalcubeError } from "../errors.ts";

const READABLE = /\.(ndjson|jsonl)(\.gz)?$|\.(parquet|arrows?|feather|ipc)$/i;
const PATTERN = /[*?[]/;

/**
 * The files that a path stands for, in the order of their names: the file itself; those with a known ending in
 * a folder and below it; or those that a pattern matches, in which `*` stands for any letters of a name, `?` for
 * one, `[…]` for one of a set, and `**` for any folders. Throws where there is none.
 */
export async function findFiles(name: string): Promise<string[]> {
  const found = await stat(name).catch((error: unknown) => error);
  if (found instanceof Error) {
    if (!PATTERN.test(name)) return unreadable(name)(found);
    const files = await matching(name).catch(unreadable(name));
    if (files.length === 0) throw noSource(`${name}: no file matches`);
    return files;
  }
  if (!(found as Awaited<ReturnType<typeof stat>>).isDirectory()) return [name];
  const files = (await filesBelow(name).catch(unreadable(name))).filter((file) => READABLE.test(file));
  if (files.length === 0) throw noSource(`${name}: the folder holds no file that can be loaded`);
  return files;
}

function unreadable(name: string): (cause: unknown) => never {
  return (cause) => {
    throw noSource(
      `${name}: cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`,
      cause,
    );
  };
}

function noSource(message: string, cause?: unknown): EvalcubeError {
  return new EvalcubeError("no_source", message, { cause });
}

async function matching(pattern: string): Promise<string[]> {
  const parts = pattern.split("/");
  const fixed = parts.slice(
    0,
    parts.findIndex((part) => PATTERN.test(part)),
  );
  const folder = fixed.length === 0 ? "." : fixed.join("/") || "/";
  const isFolder = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  const files = isFolder ? await filesBelow(folder) : [];
  const wanted = expressionOf(parts.slice(fixed.length));
  return files.filter((file) => wanted.test(path.relative(folder, file).split(path.sep).join("/")));
}

/** The names that the parts of a pattern match. */
function expressionOf(parts: readonly string[]): RegExp {
  const folders = parts.map((part, i) => {
    if (part === "**") return i === parts.length - 1 ? ".*" : "(?:.*/)?";
    const name = part.replaceAll(/\[!?[^\]]+\]|[*?]|[\\^$.|+()[\]{}]/g, (mark) => {
      if (mark === "*") return "[^/]*";
      if (mark === "?") return "[^/]";
      return mark.length > 2
        ? `[${mark.slice(1, -1).replace("!", "^").replaceAll("\\", "\\\\")}]`
        : `\\${mark}`;
    });
    return i === parts.length - 1 ? name : `${name}/`;
  });
  return new RegExp(`^${folders.join("")}$`, "su");
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
    else files.push(inside);
  }
  return files;
}
