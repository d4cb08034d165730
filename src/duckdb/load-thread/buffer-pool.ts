/** Buffers that were used and may be used again. */
export interface BufferPool {
  /** A buffer of at least so many bytes; it holds anything. */
  readonly take: (bytes: number) => ArrayBuffer;
  readonly giveBack: (buffers: readonly ArrayBuffer[]) => void;
}

const SMALLEST = 1024;
/** About what the batches have that may wait for the database. */
const MOST_BYTES = 48 * 1024 * 1024;

/** Buffers of powers of two. */
export function createBufferPool(): BufferPool {
  const free = new Map<number, ArrayBuffer[]>();
  let kept = 0;
  return {
    take: (bytes) => {
      const size = Math.max(SMALLEST, 2 ** Math.ceil(Math.log2(bytes)));
      const found = free.get(size)?.pop();
      if (found !== undefined) kept -= size;
      return found ?? new ArrayBuffer(size);
    },
    giveBack: (buffers) => {
      for (const buffer of buffers) {
        const { byteLength: size } = buffer;
        const isOurs = (size & (size - 1)) === 0;
        if (!isOurs || kept + size > MOST_BYTES) continue;
        kept += size;
        const same = free.get(size);
        if (same === undefined) free.set(size, [buffer]);
        else same.push(buffer);
      }
    },
  };
}
