import type { JsonObject } from "../../model/json.ts";
import { numberAt, objectAt, textAt } from "../read/members.ts";
import { hashOf, rootId } from "../translate/ids.ts";
import type { PlacedRoot } from "../translate/translate-log.ts";

/** What tells the content of one file from that of another. */
export interface FileIdentity {
  /** SHA-256 of the unpacked bytes. */
  readonly content: string;
  readonly length: number;
  /** SHA-256 of the real path; null where there is none. */
  readonly file: string | null;
  /** Of a run of several files, the begins of their hashes; else null. */
  readonly files: string | null;
  /** The name of the file, without folders and without endings of compression; null where it does not matter. */
  readonly name: string | null;
}

/** A run that is stored, by what its root call says of its import. */
export interface StoredRun extends Omit<FileIdentity, "name"> {
  readonly id: string;
  /** Stands for task, evaluation and model. */
  readonly run: string | null;
  readonly name: string;
  readonly source: string;
  /** What its file is called. */
  readonly title: string;
  readonly importedAt: string | null;
  /** The start that it counts as having, of its file or its import; null where the log has one. */
  readonly fileTime: string | null;
}

/** The run that a root call is of. */
export function storedRun(root: JsonObject): StoredRun {
  const said = objectAt(objectAt(root["attributes"], "evalcube"), "import");
  return {
    id: textAt(root, "id") ?? "",
    run: textAt(said, "run"),
    name: textAt(root, "display_name") ?? "",
    content: textAt(said, "content") ?? "",
    length: numberAt(said, "length") ?? 0,
    file: textAt(said, "file"),
    files: textAt(said, "files"),
    source: textAt(said, "source") ?? "",
    title: textAt(said, "file_name") ?? "",
    importedAt: textAt(said, "imported_at"),
    fileTime: textAt(said, "file_time"),
  };
}

/** Which run a file is: a stored one, or a new one. */
export interface ChosenRun {
  readonly id: string;
  /** Null for a new run. */
  readonly stored: StoredRun | null;
  /** Whether the file takes the place of what is stored of the run. */
  readonly replaces: boolean;
  /** The run of the same file before it, with other content. */
  readonly before: StoredRun | null;
}

/**
 * Chooses the run of a file among the stored ones of the same task, evaluation and model: that of the same content and
 * name, that of the same file which has gone on, with `replace` the latest of the same file; else a new one.
 * `beginsWith`: whether the file begins with the content of that run.
 */
export async function chooseRun(
  key: string,
  own: FileIdentity,
  runs: readonly StoredRun[],
  replace: boolean,
  beginsWith: (run: StoredRun) => Promise<boolean>,
): Promise<ChosenRun> {
  const latest = runs
    .filter(({ run }) => run === key)
    .toSorted((a, b) => (a.importedAt ?? "").localeCompare(b.importedAt ?? "") || (a.id < b.id ? -1 : 1))
    .toReversed();
  const same = latest.find(
    ({ content, source }) => content === own.content && (own.name === null || plainFile(source) === own.name),
  );
  if (same !== undefined) return { id: same.id, stored: same, replaces: false, before: null };
  const ofFile = latest.filter(({ file }) => file !== null && file === own.file);
  for (const one of own.files === null ? ofFile : latest)
    if (one.length < own.length && (await beginsWith(one)))
      return { id: one.id, stored: one, replaces: false, before: null };
  const [before = null] = ofFile;
  if (replace && before !== null) return { id: before.id, stored: before, replaces: true, before: null };
  const format = key.slice(0, key.indexOf(":"));
  return { id: rootId(format, hashOf([key, own.content, own.name])), stored: null, replaces: false, before };
}

/** The name of a file without folders and endings of compression. */
export function plainFile(name: string): string {
  return name.replace(/^.*[/\\]/, "").replace(/\.(gz|zst)$/i, "");
}

/**
 * The root call under the id of its run. `origin` is what it says of its import besides; `fileTime` its start where the
 * log has none.
 */
export function placedRoot(
  root: JsonObject,
  id: string,
  name: string,
  origin: JsonObject,
  fileTime: string,
): PlacedRoot {
  const start = textAt(root, "started_at");
  const attributes = objectAt(root, "attributes");
  const ours = objectAt(attributes, "evalcube");
  const said = {
    ...objectAt(ours, "import"),
    ...origin,
    ...(start === null ? { file_time: fileTime } : {}),
  };
  return {
    ...root,
    id,
    trace_id: id,
    display_name: name,
    started_at: start ?? fileTime,
    attributes: { ...attributes, evalcube: { ...ours, import: said } },
  };
}

/**
 * A name that no other run has: with what tells its file apart in brackets, which is what the file or else its folder
 * is called, else with a number.
 */
export function freeName(
  name: string,
  taken: readonly StoredRun[],
  own: { readonly title: string; readonly folder: string | null; readonly file: string | null },
): string {
  const isFree = (one: string) => taken.every((other) => other.name !== one);
  const namesake = taken.find((other) => other.name === name);
  if (namesake === undefined) return name;
  const isOfFile = own.file !== null && namesake.file === own.file;
  const isTitled = name === own.title || name.startsWith(`${own.title}: `) || name.endsWith(`: ${own.title}`);
  const parts = isOfFile ? [] : [isTitled || namesake.title === own.title ? null : own.title, own.folder];
  const found = parts.map((part) => `${name} (${part})`).find((one, i) => parts[i] !== null && isFree(one));
  if (found !== undefined) return found;
  for (let number = 2; ; number++) if (isFree(`${name} (${number})`)) return `${name} (${number})`;
}
