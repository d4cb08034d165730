import type { SourceFile } from "../read/source-file.ts";
import type { ZipEntry } from "../read/zip-entry.ts";
import { readPrefix, type Prefix } from "./json-prefix.ts";

/** What is known of a file before it is read as a whole. */
export interface Head {
  /** Name without folders. */
  readonly name: string;
  /** Names of the files of the same folder; empty where there is no folder. */
  readonly siblings: readonly string[];
  readonly size: number;
  /** At most the first 256 KiB. */
  readonly bytes: Buffer;
  /** `bytes` as text; of UTF-16 with its mark as well. */
  readonly text: string;
  /** Entries of a zip file, null for any other file. */
  readonly zip: ReadonlyMap<string, ZipEntry> | null;
  /** What the text begins with, if it is JSON; of NDJSON the first record. */
  readonly json: Prefix | undefined;
  /** The first line that is not blank, if it is a whole JSON value. */
  readonly firstLine: Prefix | undefined;
}

const HEAD_BYTES = 256 * 1024;

/** Reads the beginning of a file, of a zip file its directory. `broken`: also a zip file without a directory. */
export async function readHead(
  file: SourceFile,
  siblings: readonly string[],
  broken: boolean,
): Promise<Head> {
  const bytes = await file.read(0, HEAD_BYTES);
  const isZip = bytes.subarray(0, 4).toString("latin1") === "PK\u0003\u0004";
  const text = isZip ? "" : textOf(bytes);
  return {
    name: file.name.replace(/^.*[/\\]/, ""),
    siblings,
    size: file.size,
    bytes,
    text,
    zip: isZip ? await entriesOf(file, broken) : null,
    json: isZip ? undefined : readPrefix(text),
    firstLine: isZip ? undefined : firstLineOf(text, file.size <= HEAD_BYTES),
  };
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
