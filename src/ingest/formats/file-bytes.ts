import { createReadStream } from "node:fs";
import { unreadable } from "./unreadable.ts";

/** The bytes of a file, which is opened only when they are read. */
export async function* fileBytes(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path, { highWaterMark: 1024 * 1024 }) as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw unreadable(path, error);
  }
}
