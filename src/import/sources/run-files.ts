import { realpath } from "node:fs/promises";
import path from "node:path";
import { grouped } from "../../model/grouped.ts";
import { ImportError } from "../../errors.ts";
import type { Format, SourcePart } from "../format.ts";
import { fileDigest } from "../read/file-digest.ts";
import type { SourceFile } from "../read/source-file.ts";
import { unpacked } from "../read/unpack.ts";
import { noHead, type Head } from "../recognise/head.ts";
import { isDamaged, whyUnrecognised } from "../recognise/near-misses.ts";
import type { FoundFile } from "./find-sources.ts";
import { nullIfMissing, type SourceFolder } from "./source-folder.ts";

/** A file that is one of those of a run, and what it is to it. */
export interface RunFile extends FoundFile {
  readonly format: Format;
  readonly role: string;
  /** The folder of the run; null for a file that tells of others. */
  readonly run: string | null;
  /** Why it cannot be read; null where nothing is known. */
  readonly fault: ImportError | null;
}

/** A run: its files, and where they lie. */
interface FoundRun extends Pick<FoundFile, "isNamed" | "folder"> {
  readonly name: string;
  readonly format: Format;
  readonly parts: readonly SourcePart[];
  /** The folder of the run. */
  readonly run: string;
}

/** What a file is to a run of one of these formats; nothing where it is none of one. */
export function runFileOf(file: FoundFile, formats: readonly Format[], head: Head): readonly RunFile[] {
  for (const format of formats) {
    const role = format.files?.roleOf(head) ?? null;
    if (format.files === undefined || role === null) continue;
    const { isLines = false, readsCut = isLines } = format.files;
    const isCut = !readsCut && isDamaged(head);
    const fault = isCut ? new ImportError("truncated", file.path, null, whyUnrecognised(head)) : null;
    return [{ ...file, format, role, fault, run: format.files.runOf(path.normalize(file.path), role, head) }];
  }
  return [];
}

/**
 * Runs of these files, and which are no sources by themselves. A file that tells of others goes to the run around it;
 * one that lies elsewhere to those that have none, and to all where each has its own.
 */
export function joinRuns(files: readonly RunFile[]) {
  const sound = files.filter(({ fault }) => fault === null);
  const placed = sound.filter(({ run }) => run !== null);
  const others = sound.filter(({ run }) => run === null);
  const groups = [...grouped(placed, ({ format, run }) => JSON.stringify([format.name, run])).values()];
  const isApart = (one: RunFile) => !placed.some(({ run }) => isBelow(one.path, run ?? ""));
  const nearTo = ({ run }: RunFile, role: string) =>
    others.filter((one) => one.role === role && isBelow(one.path, run ?? ""));
  const isWanted = (role: string) =>
    groups.some(
      ([one]) => one?.format.files?.takes?.includes(role) === true && nearTo(one, role).length === 0,
    );
  const wanted = new Set([...new Set(others.map(({ role }) => role))].filter(isWanted));
  const taken = new Set<string>();
  const runs = groups.flatMap((own): FoundRun[] => {
    const [first] = own;
    if (first === undefined) return [];
    const telling = (first.format.files?.takes ?? []).flatMap((role) => {
      const near = nearTo(first, role);
      const apart = others.filter((one) => one.role === role && isApart(one));
      return near.length === 0 ? apart : wanted.has(role) ? near : [...near, ...apart];
    });
    for (const one of telling) taken.add(path.normalize(one.path));
    // A run that is a file is called like it, whatever else is told of it.
    const single =
      own.find((one) => path.normalize(one.path) === one.run) ?? (own.length === 1 ? first : null);
    const name = single?.path ?? commonFolder(own.map((one) => one.path));
    const parts = [...own, ...telling].map((one) => partOf(one, single === null ? name : path.dirname(name)));
    const isNamed = own.every((one) => one.isNamed);
    return [{ name, isNamed, format: first.format, folder: first.folder, parts, run: first.run ?? "" }];
  });
  const isOwned = ownedFiles(files);
  return { runs, isOwned: (file: string) => taken.has(path.normalize(file)) || isOwned(file) };
}

/** Says of a file whether it lies in a folder of these runs, so that it is no source by itself. */
function ownedFiles(files: readonly RunFile[]): (file: string) => boolean {
  const folders = new Set<string>();
  const runs = new Map<string, RegExp[]>();
  for (const { path: file, run, format } of files) {
    if (run === null) continue;
    const folder = path.dirname(path.normalize(file));
    if (folder !== run && file !== run) folders.add(folder);
    const around = file === run ? folder : run;
    const owns = format.files?.owns ?? /$^/;
    const known = runs.get(around) ?? [];
    if (!known.includes(owns)) runs.set(around, [...known, owns]);
  }
  return (file) => {
    const whole = path.normalize(file);
    if (runs.get(path.dirname(whole))?.some((owns) => owns.test(path.basename(whole))) === true) return true;
    for (let at = path.dirname(whole); at !== path.dirname(at); at = path.dirname(at))
      if (folders.has(at)) return true;
    return false;
  };
}

function isBelow(file: string, folder: string): boolean {
  return path.normalize(file).startsWith(`${folder}${path.sep}`);
}

function commonFolder(files: readonly string[]): string {
  const [first = [], ...others] = files.map((file) => path.dirname(path.normalize(file)).split(path.sep));
  const end = first.findIndex((part, i) => others.some((other) => other[i] !== part));
  return (end < 0 ? first : first.slice(0, end)).join(path.sep) || path.sep;
}

function partOf({ path: file, folder, role }: RunFile, run: string): SourcePart {
  const base = path.dirname(path.normalize(file));
  return {
    path: path.relative(run, path.normalize(file)),
    folders: base.split(path.sep).filter((part) => part !== ""),
    role,
    open: async () => await unpacked(await folder.open(file)),
    other: async (name) => {
      const inside = path.join(base, name);
      if (!isBelow(inside, base) || !(await isInside(inside, base, folder))) return null;
      const found = await folder.open(inside).catch(nullIfMissing);
      return found === null ? null : await unpacked(found);
    },
  };
}

/** Whether a file of the disk lies in the folder, whatever links say. */
async function isInside(file: string, base: string, { isArchive = false }: SourceFolder): Promise<boolean> {
  if (isArchive) return true;
  const [real, around] = await Promise.all([file, base].map((one) => realpath(one).catch(() => null)));
  return real != null && around != null && isBelow(real, around);
}

const LINE_BYTES = 65;

/**
 * What stands for a run of several files: the sorted hashes of those that count, a line each. Null for any other
 * source.
 */
export async function openManyFiles({
  name,
  format: { files },
  parts = [],
  run = "",
}: Pick<FoundRun, "name" | "format"> & Partial<Pick<FoundRun, "parts" | "run">>) {
  if (files === undefined || files.isLines === true || parts.length === 0) return null;
  const counted = parts.filter(({ role }) => files.counts.includes(role));
  let lines: Promise<Buffer> | null = null;
  const all = async () => await (lines ??= digestsOf(counted));
  const size = counted.length * LINE_BYTES;
  const first = await (counted[0] ?? parts[0])?.open();
  await first?.close();
  const file: SourceFile = {
    name,
    size,
    path: null,
    modifiedAt: first?.modifiedAt ?? null,
    bytes: async function* (from = 0, to = size) {
      yield (await all()).subarray(from, to);
    },
    read: async (offset, length) => (await all()).subarray(offset, offset + length),
    close: () => Promise.resolve(),
  };
  const folders = path
    .resolve(run)
    .replace(/\.zip$/i, "")
    .split(path.sep)
    .filter((part) => part !== "");
  return { file, head: noHead(path.basename(name), folders) };
}

async function digestsOf(parts: readonly SourcePart[]): Promise<Buffer> {
  const lines: string[] = [];
  for (const part of parts) {
    const file = await part.open();
    try {
      lines.push(`${await fileDigest(file)}\n`);
    } finally {
      await file.close();
    }
  }
  return Buffer.from(lines.sort().join(""));
}
