import { statSync } from "node:fs";
import { open } from "node:fs/promises";
import { refuseOpenDatabase } from "../../flow/open-files.ts";
import { fileBytes, unreadable, type RecordSource } from "../formats/record-source.ts";
import { ndjsonSource } from "../formats/ndjson.ts";

/** How files of one format are recognised and opened. */
interface FileFormat {
  readonly name: string;
  /** Endings of file names, in any case. */
  readonly endings: readonly string[];
  /** First bytes of such files, one character per byte. */
  readonly magic: readonly string[];
  readonly open: (path: string, readers: FileReaders) => RecordSource;
}

/** What reads files of a format; not imported here, since the help of the command reads the list of formats. */
export interface FileReaders {
  readonly parquet: (path: string) => RecordSource["groups"];
  readonly ipc: (path: string) => RecordSource["groups"];
}

const NDJSON: FileFormat = {
  name: "NDJSON",
  endings: [".ndjson", ".jsonl", ".ndjson.gz", ".jsonl.gz", ".ndjson.zst", ".jsonl.zst"],
  magic: [],
  open: (path) => {
    const stats = statSync(path);
    return { ...ndjsonSource(fileBytes(path), path, stats.size), isNdjsonFile: stats.isFile() };
  },
};

/** File formats that can be loaded. */
export const FORMATS: readonly FileFormat[] = [
  NDJSON,
  {
    name: "Parquet",
    endings: [".parquet"],
    magic: ["PAR1"],
    open: (path, { parquet }) => ({ name: path, totalBytes: null, groups: parquet(path) }),
  },
  {
    name: "Arrow IPC",
    endings: [".arrow", ".arrows", ".feather", ".ipc"],
    magic: ["ARROW1", "\u{ff}\u{ff}\u{ff}\u{ff}"],
    open: (path, { ipc }) => ({ name: path, totalBytes: statSync(path).size, groups: ipc(path) }),
  },
];

/** Returns the format that a file's name indicates. */
export function formatOfName(path: string): FileFormat | undefined {
  const name = path.toLowerCase();
  return FORMATS.find(({ endings }) => endings.some((ending) => name.endsWith(ending)));
}

/** Returns the format that a file's first bytes indicate. Only regular files are read: a pipe can be read only once. */
async function formatOfBytes(path: string): Promise<FileFormat | undefined> {
  if (!statSync(path).isFile()) return undefined;
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(8) });
    const head = buffer.toString("latin1", 0, bytesRead);
    return FORMATS.find(({ magic }) => magic.some((mark) => head.startsWith(mark)));
  } finally {
    await file.close();
  }
}

/** Opens a file; if neither its name nor its first bytes indicate a format, it counts as NDJSON. */
export async function openFile(path: string, readers: FileReaders): Promise<RecordSource> {
  refuseOpenDatabase(path);
  try {
    const format = formatOfName(path) ?? (await formatOfBytes(path)) ?? NDJSON;
    return format.open(path, readers);
  } catch (error) {
    throw unreadable(path, error);
  }
}
