import type { FileHandle } from "node:fs/promises";
import { ArrowFault } from "../arrow-fault.ts";

/** Bytes with random access. Each part is returned at an address that is a multiple of 8. */
export interface RandomBytes {
  readonly size: number;
  /** Throws {@link ArrowFault} where there are fewer bytes. */
  readonly read: (offset: number, length: number) => Promise<Uint8Array>;
}

/** Bytes that are read in sequence. */
export interface ByteReader {
  /** The next `length` bytes, at an address that is a multiple of 8; fewer at the end. */
  readonly next: (length: number) => Promise<Uint8Array>;
}

export function bytesInMemory(bytes: Uint8Array): RandomBytes {
  return {
    size: bytes.length,
    read: async (offset, length) => {
      checkPart(bytes.length, offset, length);
      return aligned(bytes.subarray(offset, offset + length));
    },
  };
}

export function bytesInFile(file: FileHandle, size: number): RandomBytes {
  return {
    size,
    read: async (offset, length) => {
      checkPart(size, offset, length);
      const part = new Uint8Array(length);
      for (let at = 0; at < length;) {
        const { bytesRead } = await file.read(part, at, Math.min(length - at, MAX_READ), offset + at);
        if (bytesRead === 0) throw new ArrowFault("became shorter while it was read");
        at += bytesRead;
      }
      return part;
    },
  };
}

/** Node reads less than two gigabytes at a time. */
const MAX_READ = 2 ** 30;

function checkPart(size: number, offset: number, length: number): void {
  if (offset >= 0 && length >= 0 && offset + length <= size) return;
  throw new ArrowFault(`ends early: bytes ${offset} to ${offset + length} are announced, there are ${size}`);
}

/** Reads from the first byte to the last. */
export function inOrder(bytes: RandomBytes): ByteReader {
  let at = 0;
  return {
    next: async (length) => {
      const part = await bytes.read(at, Math.min(length, bytes.size - at));
      at += part.length;
      return part;
    },
  };
}

/** Reads chunks of any size in sequence. */
export function chunkReader(chunks: AsyncIterable<Uint8Array>): ByteReader {
  const iterator = chunks[Symbol.asyncIterator]();
  let rest: Uint8Array = new Uint8Array(0);
  const more = async (): Promise<boolean> => {
    while (rest.length === 0) {
      const chunk = await iterator.next();
      if (chunk.done === true) return false;
      rest = chunk.value;
    }
    return true;
  };
  return {
    next: async (length) => {
      const parts: Uint8Array[] = [];
      for (let missing = length; missing > 0 && (await more());) {
        const part = rest.subarray(0, missing);
        rest = rest.subarray(part.length);
        missing -= part.length;
        parts.push(part);
      }
      const [first] = parts;
      return aligned(parts.length === 1 && first !== undefined ? first : Buffer.concat(parts));
    },
  };
}

function aligned(bytes: Uint8Array): Uint8Array {
  return bytes.byteOffset % 8 === 0 ? bytes : new Uint8Array(bytes);
}
