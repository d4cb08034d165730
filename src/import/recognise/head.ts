import { arrowColumns, beginsArrow } from "../read/arrow-file.ts";
import type { SourceFile } from "../read/source-file.ts";
import type { ZipEntry } from "../read/zip-entry.ts";
import { readPrefix, type Prefix } from "./json-prefix.ts";

/** What is known of a file before it is read as a whole. */
export interface Head {
  /** Name without folders. */
  readonly name: string;
  /** Names of the folders above it, the nearest last; empty for bytes from elsewhere. */
  readonly folders: readonly string[];
  /** Names of the files of the same folder; empty where there is no folder. */
  readonly siblings: readonly string[];
  readonly size: number;
  /** The first 256 KiB; up to 4 MiB where a record of NDJSON is longer. */
  readonly bytes: Buffer;
  /** The end of the file: at most the last 64 KiB. */
  readonly tail: Buffer;
  /** The types of the columns of a Parquet or Arrow file by their names; none of any other file. */
  readonly columns: ReadonlyMap<string, string>;
  /** `bytes` as text; of UTF-16 with its mark as well. */
  readonly text: string;
  /** Entries of a zip file, null for any other file. */
  readonly zip: ReadonlyMap<string, ZipEntry> | null;
  /** What the text begins with, if it is JSON; of NDJSON the first record. */
  readonly json: Prefix | undefined;
  /** The first line that is not blank, if it is a whole JSON value. */
  readonly firstLine: Prefix | undefined;
}

/** Where a file lies. */
export type FilePlace = Pick<Head, "folders" | "siblings">;

export const NOWHERE: FilePlace = { folders: [], siblings: [] };

const NO_BYTES = Buffer.alloc(0);

/** What is known of a source that is no file. */
export function noHead(name: string, folders: readonly string[]): Head {
  const none = { columns: new Map(), text: "", zip: null, json: undefined, firstLine: undefined };
  return { folders, siblings: [], ...none, name, size: 0, bytes: NO_BYTES, tail: NO_BYTES };
}

const HEAD_BYTES = 256 * 1024;
const LONGEST_BYTES = 4 * 1024 * 1024;
const TAIL_BYTES = 64 * 1024;

/** The types of the columns of a Parquet file by their names; the engine has the reader. */
type ParquetColumns = (file: SourceFile) => Promise<ReadonlyMap<string, string>>;

/**
 * Reads the beginning and the end of a file, of a zip file its directory. `broken`: also a zip file without a
 * directory.
 */
export async function readHead(
  file: SourceFile,
  place: FilePlace,
  broken: boolean,
  parquetColumns: ParquetColumns = () => Promise.resolve(new Map()),
): Promise<Head> {
  const bytes = await beginOf(file);
  const isZip = bytes.subarray(0, 4).toString("latin1") === "PK\u0003\u0004";
  const text = isZip ? "" : textOf(bytes);
  const tail = bytes.length === file.size ? bytes : await file.read(file.size - TAIL_BYTES, TAIL_BYTES);
  const isParquet = tail.subarray(-4).toString("latin1") === "PAR1";
  return {
    ...place,
    name: file.name.replace(/^.*[/\\]/, ""),
    size: file.size,
    bytes,
    tail,
    columns: await columnsOf(file, { bytes, isParquet }, parquetColumns),
    text,
    zip: isZip ? await entriesOf(file, broken) : null,
    json: isZip ? undefined : readPrefix(text),
    firstLine: isZip ? undefined : firstLineOf(text, file.size <= bytes.length),
  };
}

/** The types of the columns of a Parquet or Arrow file by their names; none of any other file. */
async function columnsOf(
  file: SourceFile,
  { bytes, isParquet }: { readonly bytes: Buffer; readonly isParquet: boolean },
  parquetColumns: ParquetColumns,
): Promise<ReadonlyMap<string, string>> {
  if (isParquet) return await parquetColumns(file);
  return beginsArrow(bytes) ? await arrowColumns(file) : new Map();
}

/** The begin of a file, of one that begins with a JSON object on one line with the whole of that line. */
async function beginOf(file: SourceFile): Promise<Buffer> {
  let bytes = await file.read(0, HEAD_BYTES);
  if (!/^\s*\{/.test(textOf(bytes.subarray(0, 100)))) return bytes;
  const isOpen = () => bytes.length < file.size && !bytes.includes("\n");
  while (isOpen() && bytes.length < LONGEST_BYTES) bytes = await file.read(0, 4 * bytes.length);
  return bytes;
}

async function entriesOf(file: SourceFile, broken: boolean): Promise<Map<string, ZipEntry>> {
  // Loaded here, since the package that reads zip files cannot be loaded in every bundle.
  const zip = await import("../read/zip.ts");
  try {
    return await zip.readZipDirectory(file);
  } catch (error) {
    if (!broken || !(error instanceof Error && "code" in error && error.code === "truncated")) throw error;
    return await zip.readZipHeaders(file);
  }
}

function textOf(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return bytes.toString("utf16le", 2);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) {
    return Buffer.from(bytes.subarray(2, bytes.length - (bytes.length % 2)))
      .swap16()
      .toString("utf16le");
  }
  return bytes.toString("utf8").replace(/^\uFEFF/, "");
}

function firstLineOf(text: string, isWhole: boolean): Prefix | undefined {
  const begin = text.trimStart();
  const end = begin.indexOf("\n");
  if (end < 0 && !isWhole) return undefined;
  const line = end < 0 ? begin : begin.slice(0, end);
  try {
    return JSON.parse(line) as Prefix;
  } catch {
    return /NaN|Infinity/.test(line) ? readPrefix(line) : undefined;
  }
}
