import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";

/** Source texts by path below `src`, with forward slashes. */
export type SourceFiles = ReadonlyMap<string, string>;

export type Edges = Readonly<Record<string, readonly string[]>>;

/** What each folder may import: other folders, files at the top of `src`, and packages. */
export interface Rules {
  readonly edges: Edges;
  /** What each room, a folder within a folder, may import of its own stage; a folder sees all rooms below it. */
  readonly rooms: Edges;
  /** What single files may import beside what their folder may. */
  readonly files: Edges;
  /** Packages that one file alone may import. */
  readonly soleImporters: Readonly<Record<string, string>>;
  /** Files that may pass on the exports of others. */
  readonly barrels: readonly string[];
}

export function readSources(folder: string): SourceFiles {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    /\.tsx?$/.test(name),
  );
  return new Map(
    names
      .toSorted()
      .map((name) => [name.replaceAll(path.sep, "/"), readFileSync(path.join(folder, name), "utf8")]),
  );
}

const IMPORT = /^(?:import|export)\b[^;"']*?\bfrom\s+"([^"]+)"|^import\s+"([^"]+)"|\bimport\(\s*"([^"]+)"/gm;
const PASSED_ON = /^export\b[^;"'=(]*?\bfrom\s+"/m;

/** The paths below `src`, or the package names, that a file imports. */
export function importsOf(file: string, text: string): string[] {
  return Array.from(text.matchAll(IMPORT), ([, from, bare, dynamic]) => from ?? bare ?? dynamic ?? "").map(
    (name) => (name.startsWith(".") ? path.posix.join(path.posix.dirname(file), name) : name),
  );
}

const AT_ONCE = /^(?:import|export)\s(?!type\b)[^;"']*?\bfrom\s+"(\.[^"]+)"/gm;

/** The files that are loaded together with a file: what it imports at once, with what these do. */
export function loadedWith(files: SourceFiles, file: string, loaded = new Set<string>()): Set<string> {
  loaded.add(file);
  for (const [, name = ""] of (files.get(file) ?? "").matchAll(AT_ONCE)) {
    const target = path.posix.join(path.posix.dirname(file), name);
    if (!loaded.has(target)) loadedWith(files, target, loaded);
  }
  return loaded;
}

/** The files that a file needs to be understood: what it imports, types included, with what these do. */
export function filesReached(files: SourceFiles, file: string, reached = new Set<string>()): Set<string> {
  reached.add(file);
  for (const target of importsOf(file, files.get(file) ?? ""))
    if (files.has(target) && !reached.has(target)) filesReached(files, target, reached);
  return reached;
}

/** The folder of a path below `src`; a file at the top stands for itself. */
function partOf(file: string): string {
  return file.split("/")[0] ?? file;
}

/** Every broken rule, as a sentence. */
export function violations(files: SourceFiles, rules: Rules): string[] {
  return [...files].flatMap(([file, text]) => {
    const imports = importsOf(file, text).flatMap((target) => brokenImport(files, file, target, rules));
    return rules.barrels.includes(file) ? imports : imports.concat(brokenBarrel(file, text));
  });
}

function brokenImport(files: SourceFiles, file: string, target: string, rules: Rules): string[] {
  const sole = rules.soleImporters[target];
  if (sole !== undefined && !file.startsWith(sole))
    return [`${file} imports ${target}, which only ${sole} may`];
  return files.has(target) ? brokenEdge(file, target, rules) : missingFile(file, target);
}

function brokenBarrel(file: string, text: string): string[] {
  const broken: string[] = [];
  if (PASSED_ON.test(text)) broken.push(`${file} passes on the exports of another file`);
  if (/(^|\/)index\.ts$/.test(file)) broken.push(`${file} is one index too many`);
  return broken;
}

function brokenEdge(file: string, target: string, rules: Rules): string[] {
  const { from, to, level } = edgeOf(file, target);
  if (rules.edges[partOf(file)] === undefined) return [`${file} is in no known folder`];
  if (level === "rooms" && rules.rooms[from] === undefined) return [`${file} is in no known room`];
  const allowed = level === null || [rules[level][from], rules.files[file]].some((all) => all?.includes(to));
  return allowed ? [] : [`${file} imports ${target}: ${from} may not see ${to}`];
}

interface Edge {
  readonly from: string;
  readonly to: string;
  /** The table that must allow it; null where it needs no permission. */
  readonly level: "edges" | "rooms" | null;
}

function edgeOf(file: string, target: string): Edge {
  const [from, to] = [partOf(file), partOf(target)];
  if (from !== to) return { from, to, level: "edges" };
  const [room, other] = [path.posix.dirname(file), path.posix.dirname(target)];
  const free = room === other || other.startsWith(`${room}/`);
  return { from: room, to: other, level: free ? null : "rooms" };
}

/** Every permission that no import needs, as a sentence. */
export function unusedPermissions(files: SourceFiles, rules: Rules): string[] {
  const used = new Set<string>();
  for (const [file, text] of files)
    for (const target of importsOf(file, text).filter((one) => files.has(one))) {
      const { from, to } = edgeOf(file, target);
      used.add(`${from} sees ${to}`).add(`${file} sees ${to}`);
    }
  const permissions = [rules.edges, rules.rooms, rules.files].flatMap((table) =>
    Object.entries(table).flatMap(([from, all]) => all.map((to) => `${from} sees ${to}`)),
  );
  return permissions
    .filter((permission) => !used.has(permission))
    .map((permission) => `nobody needs: ${permission}`);
}

function missingFile(file: string, target: string): string[] {
  return target.endsWith(".ts") ? [`${file} imports ${target}, which is not there`] : [];
}

/** The files of one import cycle, the first repeated at the end; null when there is none. */
export function findCycle(files: SourceFiles): string[] | null {
  return cycleOf([...files.keys()], (file) =>
    importsOf(file, files.get(file) ?? "").filter((target) => files.has(target)),
  );
}

/** The folders of one import cycle, the first repeated at the end; a file at the top counts as a folder. */
export function findFolderCycle(files: SourceFiles): string[] | null {
  const folders = new Map<string, Set<string>>();
  for (const [file, text] of files)
    for (const target of importsOf(file, text).filter((one) => files.has(one))) {
      const [from, to] = [folderOf(file), folderOf(target)];
      if (from !== to) folders.set(from, (folders.get(from) ?? new Set()).add(to));
    }
  return cycleOf([...folders.keys()], (folder) => [...(folders.get(folder) ?? [])]);
}

function folderOf(file: string): string {
  const folder = path.posix.dirname(file);
  return folder === "." ? file : folder;
}

/** One cycle of a directed graph. */
export function cycleOf(
  nodes: readonly string[],
  next: (node: string) => readonly string[],
): string[] | null {
  const done = new Set<string>();
  const trail: string[] = [];
  const visit = (node: string): string[] | null => {
    const at = trail.indexOf(node);
    if (at >= 0) return [...trail.slice(at), node];
    if (done.has(node)) return null;
    trail.push(node);
    for (const target of next(node)) {
      const cycle = visit(target);
      if (cycle !== null) return cycle;
    }
    trail.pop();
    done.add(node);
    return null;
  };
  for (const node of nodes) {
    const cycle = visit(node);
    if (cycle !== null) return cycle;
  }
  return null;
}

const EXPORTED = /^export (?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm;

/** Exported names that no other of these files mentions, as `file: name`. */
export function unusedExports(files: SourceFiles, users: Iterable<string>): string[] {
  const all = [...files.values(), ...users];
  const counts = new Map<string, number>();
  for (const text of all)
    for (const word of new Set(text.match(/\w+/g))) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...files].flatMap(([file, text]) =>
    Array.from(text.matchAll(EXPORTED), ([, name = ""]) => name)
      .filter((name) => counts.get(name) === 1)
      .map((name) => `${file}: ${name}`),
  );
}
