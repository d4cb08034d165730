import { createHash, randomUUID } from "node:crypto";
import { open, readFile, rename, rm, type FileHandle } from "node:fs/promises";
import { orIfMissing, syncFolder } from "./durable.ts";
import { HEADER_BYTES, isWhole, readHeader, readPages } from "./format.ts";

/**
 * DuckDB 1.5 writes new metadata into blocks that the previous checkpoint still needs (docs/duckdb-reports.md). If a
 * power cut tears such a write, the whole file is lost. So these blocks are copied to a file beside the database before
 * a checkpoint begins, and put back if the checkpoint did not finish.
 */
export interface SavedBlocks {
  /** Distinguishes one copy from the next. */
  readonly id: string;
  /** The checkpoint that the blocks belong to. */
  readonly iteration: bigint;
  readonly pieces: readonly Piece[];
}

interface Piece {
  readonly start: number;
  readonly bytes: Buffer;
}

interface Description {
  readonly id: string;
  readonly iteration: string;
  readonly pieces: readonly { readonly start: number; readonly length: number }[];
}

const DIGEST_BYTES = 32;

function copyPath(path: string): string {
  return `${path}.blocks`;
}

/** Copies the headers and the given blocks of an open database; the copy is durable when the promise resolves. */
export async function saveBlocks(path: string, database: FileHandle, ids: readonly number[]): Promise<void> {
  const header = readHeader(await readPages(database));
  if (header === null) throw new Error(`${path}: neither header of the file is whole`);
  const { iteration, blockBytes } = header;
  const places = [
    { start: 0, length: HEADER_BYTES },
    ...ids.map((id) => ({ start: HEADER_BYTES + id * blockBytes, length: blockBytes })),
  ];
  const about: Description = { id: randomUUID(), iteration: String(iteration), pieces: places };
  const unfinished = `${copyPath(path)}.tmp`;
  const copy = await open(unfinished, "w");
  try {
    const hash = createHash("sha256");
    const append = async (bytes: Buffer) => {
      hash.update(bytes);
      await copy.writeFile(bytes);
    };
    await append(Buffer.from(`${JSON.stringify(about)}\n`));
    for (const { start, length } of places) await append(await readPiece(database, start, length));
    await copy.writeFile(hash.digest());
    await copy.sync();
  } finally {
    await copy.close();
  }
  await rename(unfinished, copyPath(path));
  await syncFolder(path);
}

/** Reads the blocks that an unfinished checkpoint left behind; null if there is no complete copy. */
export async function readSavedBlocks(path: string): Promise<SavedBlocks | null> {
  const bytes = await orIfMissing(readFile(copyPath(path)), null);
  if (bytes === null) return null;
  const content = bytes.subarray(0, -DIGEST_BYTES);
  const digest = createHash("sha256").update(content).digest();
  if (!digest.equals(bytes.subarray(-DIGEST_BYTES))) return null;
  const end = content.indexOf("\n");
  const about = JSON.parse(content.toString("utf8", 0, end)) as Description;
  let at = end + 1;
  const pieces = about.pieces.map(({ start, length }) => ({
    start,
    bytes: content.subarray(at, (at += length)),
  }));
  return { id: about.id, iteration: BigInt(about.iteration), pieces };
}

/** Returns the saved pieces that the file needs back; none once the checkpoint has finished. */
export async function tornPieces(database: FileHandle, saved: SavedBlocks): Promise<Piece[]> {
  const header = readHeader(await readPages(database));
  if (header !== null && header.iteration > saved.iteration) return [];
  const torn: Piece[] = [];
  for (const piece of saved.pieces) {
    const { start, bytes } = piece;
    const stored = await readPiece(database, start, bytes.length);
    if (start === 0 ? !stored.equals(bytes) : !isWhole(stored)) torn.push(piece);
  }
  return torn;
}

/** Puts pieces back into a database that is open for writing; they are durable when the promise resolves. */
export async function putBack(database: FileHandle, pieces: readonly Piece[]): Promise<void> {
  for (const { start, bytes } of pieces) await database.write(bytes, 0, bytes.length, start);
  await database.sync();
}

/** Removes the copy of the blocks, complete or not. */
export async function dropSavedBlocks(path: string): Promise<void> {
  await rm(copyPath(path), { force: true });
  await rm(`${copyPath(path)}.tmp`, { force: true });
}

/** Bytes beyond the end of the file read as zeros. */
async function readPiece(database: FileHandle, start: number, length: number): Promise<Buffer> {
  const piece = Buffer.alloc(length);
  await database.read(piece, 0, length, start);
  return piece;
}
