import path from "node:path";
import { grouped } from "../../model/grouped.ts";
import type { Format } from "../format.ts";
import { spool, unpacked } from "../read/unpack.ts";
import type { FoundFile } from "./find-sources.ts";
import type { SourceFolder } from "./source-folder.ts";

/** A file that holds one trial, and what it is where it has no others beside it. */
export interface TrialFile extends FoundFile {
  readonly format: Format;
  readonly alone: () => void;
}

/** Files that are one source together, which is named after the folder that holds them all. */
interface TrialFiles extends FoundFile {
  readonly format: Format;
}

/**
 * Files of one folder, or of one name in the folders of one folder, as one list of records each; a file without others
 * stands for itself.
 */
export function joinTrialFiles(files: readonly TrialFile[]): TrialFiles[] {
  const joined: TrialFiles[] = [];
  const lone: TrialFile[] = [];
  for (const [folder, inside] of grouped(files, (file) => path.dirname(file.path)))
    if (inside.length > 1) joined.push(joinedIn(folder, inside));
    else lone.push(...inside);
  const byName = grouped(lone, (file) =>
    JSON.stringify([path.dirname(path.dirname(file.path)), path.basename(file.path)]),
  );
  for (const alike of byName.values()) {
    const [first] = alike;
    if (first === undefined || alike.length === 1) first?.alone();
    else joined.push(joinedIn(path.dirname(path.dirname(first.path)), alike));
  }
  return joined;
}

function joinedIn(around: string, files: readonly TrialFile[]): TrialFiles {
  // `.` is no name.
  const name = path.basename(around).startsWith(".") ? path.resolve(around) : around;
  const [format] = files.map((file) => file.format) as [Format];
  const folder: SourceFolder = {
    open: () => spool(listOf(files), path.basename(path.resolve(name))),
    place: (of) => Promise.resolve({ folders: path.resolve(of).split(path.sep).slice(1, -1), siblings: [] }),
  };
  return { path: name, isNamed: files.every((file) => file.isNamed), folder, format };
}

const BOM = Buffer.from("\uFEFF");

/** The files as elements of a JSON list. */
async function* listOf(files: readonly TrialFile[]): AsyncGenerator<Uint8Array> {
  yield Buffer.from("[");
  for (const [i, { path: name, folder }] of files.entries()) {
    const file = await unpacked(await folder.open(name));
    try {
      const begin = Buffer.from(await file.read(0, BOM.length));
      if (i > 0) yield Buffer.from(",\n");
      yield* file.bytes(begin.equals(BOM) ? BOM.length : 0);
    } finally {
      await file.close();
    }
  }
  yield Buffer.from("]");
}
