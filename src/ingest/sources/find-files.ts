import { readdir, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { EvalcubeError } from "../../errors.ts";
import { withoutOpenDatabases } from "../../flow/open-files.ts";
import { ON_WINDOWS } from "../../flow/system.ts";
import { formatOfName } from "./formats.ts";
import { unreadable } from "../formats/record-source.ts";

const PATTERN = /[*?[]/;

/**
 * Finds the files that a path stands for, in the order of their names: the file itself; the files with a known ending
 * in a folder and below it; or the files that match a pattern, in which `*` stands for any characters of a name, `?`
 * for one, `[…]` for one of a set, and `**` for any folders. Throws where there is none.
 */
export async function findFiles(name: string): Promise<string[]> {
  const fault = name === "" ? "is empty" : name.includes("\0") ? "holds U+0000" : null;
  if (fault !== null) throw new EvalcubeError("invalid_source", `the path of a source ${fault}`);
  const found = await stat(name).catch((error: unknown) => error);
  if (found instanceof Error) {
    if (!PATTERN.test(name)) return refused(name)(found);
    const files = withoutOpenDatabases(await matching(name).catch(refused(name)));
    if (files.length === 0) throw noSource(`${name}: no file matches`);
    return files;
  }
  if (!(found as Awaited<ReturnType<typeof stat>>).isDirectory()) return [name];
  const files = (await filesBelow(name).catch(refused(name))).filter(
    (file) => formatOfName(file) !== undefined,
  );
  if (files.length === 0) throw noSource(`${name}: no file in this folder can be loaded`);
  return files;
}

function refused(name: string): (cause: unknown) => never {
  return (cause) => {
    throw unreadable(name, cause);
  };
}

function noSource(message: string): EvalcubeError {
  return new EvalcubeError("no_source", message);
}

async function matching(pattern: string): Promise<string[]> {
  const parts = pattern.split(ON_WINDOWS ? /[\\/]/ : "/");
  const first = parts.findIndex((part) => PATTERN.test(part));
  // With its slash, `/` and `C:/` are roots: `C:` alone is where programs of that drive work.
  const start = first === 0 ? "." : `${parts.slice(0, first).join("/")}/`;
  const last = parts.at(-1) ?? "";
  // Reads only folders that can hold a match: a pattern near the root must not read the whole disk.
  let folders = (await isFolder(start)) ? [start] : [];
  for (const part of parts.slice(first, -1)) folders = await flatMap(folders, (one) => foldersAt(one, part));
  const files = await flatMap(folders, async (folder) => {
    if (last === "**") return await filesBelow(folder);
    return (await entriesOf(folder, last)).filter((entry) => !entry.isFolder).map((entry) => entry.path);
  });
  // Two `**` can lead to the same file.
  return inOrder([...new Set(files)]);
}

async function foldersAt(folder: string, part: string): Promise<string[]> {
  if (part === "**") return await foldersBelow(folder);
  return (await entriesOf(folder, part)).filter((entry) => entry.isFolder).map((entry) => entry.path);
}

/** Lists a folder and those below it; does not follow a link that leads back to a folder above it. */
async function foldersBelow(folder: string, above: readonly string[] = []): Promise<string[]> {
  const real = await realpath(folder);
  if (above.includes(real)) return [];
  const inside = (await entriesOf(folder, "*")).filter((entry) => entry.isFolder);
  return [folder, ...(await flatMap(inside, (entry) => foldersBelow(entry.path, [...above, real])))];
}

async function filesBelow(folder: string): Promise<string[]> {
  const files = await flatMap(await foldersBelow(folder), async (one) =>
    (await entriesOf(one, "*")).filter((entry) => !entry.isFolder),
  );
  return inOrder(files.map((file) => file.path));
}

interface Entry {
  readonly path: string;
  readonly isFolder: boolean;
}

/**
 * Lists the folders and files of a folder whose names match, without pipes, sockets and devices, which may never end. A
 * link to nothing counts as a file: opening it names the fault. Names that begin with a dot or an underscore are left
 * out: they are notes of the program that wrote the folder; and `node_modules`, which holds what others wrote.
 */
async function entriesOf(folder: string, part: string): Promise<Entry[]> {
  const wanted = expressionOf(part);
  const entries = (await readdir(folder, { withFileTypes: true })).filter(
    ({ name }) => wanted.test(name) && !/^(?:[._]|node_modules$)/.test(name),
  );
  return await flatMap(entries, async (entry): Promise<Entry[]> => {
    const inside = path.join(folder, entry.name);
    const found = entry.isSymbolicLink() ? await stat(inside).catch(() => null) : entry;
    if (found?.isDirectory() === true) return [{ path: inside, isFolder: true }];
    return found === null || found.isFile() ? [{ path: inside, isFolder: false }] : [];
  });
}

function expressionOf(part: string): RegExp {
  const expression = part.replaceAll(/\[!?\]?[^\]]{0,255}\]|[*?]|[\\^$.|+()[\]{}]/g, (mark) => {
    if (mark === "*") return "\0";
    if (mark === "?") return ".";
    return mark.length > 2 ? setOf(mark.slice(1, -1)) : `\\${mark}`;
  });
  try {
    return new RegExp(`^${withoutTurningBack(expression.split("\0"))}$`, "su");
  } catch {
    throw noSource(`${part}: a set has a range in the wrong order, or does not end`);
  }
}

/** Pieces with anything between them. Each is taken where it stands first, and never again elsewhere. */
function withoutTurningBack([first = "", ...pieces]: readonly string[]): string {
  const last = pieces.pop();
  const inner = pieces.map((piece, i) => `(?=(.*?${piece}))\\${i + 1}`);
  return first + inner.join("") + (last === undefined ? "" : `.*${last}`);
}

/** A set of characters as a regular expression; `!` at its start means all others. */
function setOf(characters: string): string {
  const isNegated = characters.length > 1 && characters.startsWith("!");
  const listed = isNegated ? characters.slice(1) : characters;
  return `[${isNegated ? "^" : ""}${listed.replaceAll(/[\\^[\]]/g, String.raw`\$&`)}]`;
}

async function isFolder(name: string): Promise<boolean> {
  return await stat(name).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** Sorts by name; a folder's files come where the folder's name stands. */
function inOrder(files: readonly string[]): string[] {
  return files.toSorted((a, b) => (orderKey(a) < orderKey(b) ? -1 : 1));
}

function orderKey(file: string): string {
  return file.replaceAll(path.sep, "\0");
}

/** Runs `of` on one item after another: a wide folder must not open a thousand others at once. */
async function flatMap<A, B>(items: readonly A[], of: (item: A) => Promise<readonly B[]>): Promise<B[]> {
  const found: B[] = [];
  for (const item of items) found.push(...(await of(item)));
  return found;
}
