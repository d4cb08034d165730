import type { FileHandle } from "node:fs/promises";
import { StoreError } from "../../errors.ts";
import { logSize } from "./checkpoints.ts";
import type { OpenDatabase } from "./open-file.ts";
import type { StoreOptions } from "./store-options.ts";

const PIECE_BYTES = 2 ** 20;

/**
 * Brings the file to the committed state and keeps it there until `end` is called; must be awaited while nobody writes.
 * Later writes go to the log, or to blocks that the file does not count yet, so the bytes can be read meanwhile. Throws
 * `StoreError` without a file, or if a log remains.
 */
export async function beginCopy(
  { path, readOnly }: StoreOptions,
  { file, checkpoints }: OpenDatabase,
): Promise<{ readonly pieces: AsyncIterable<Uint8Array>; readonly end: () => void }> {
  if (file === null)
    throw new StoreError("no_file", "a database in memory has no file to copy; open the engine with a path");
  await checkpoints.run();
  if ((await logSize(path)) > 0) {
    const advice = readOnly ? "open it without readOnly" : "see the warning about the checkpoint";
    throw new StoreError("not_copied", `${path}: part of it is in its log yet; ${advice}, and try again`);
  }
  const { size } = await file.stat();
  return { pieces: readPieces(file, size), end: checkpoints.hold() };
}

async function* readPieces(file: FileHandle, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < size; start += PIECE_BYTES) {
    const piece = new Uint8Array(Math.min(PIECE_BYTES, size - start));
    const { bytesRead } = await file.read(piece, 0, piece.length, start);
    yield piece.subarray(0, bytesRead);
  }
}
