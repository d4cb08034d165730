import type { Key } from "../../model/digest.ts";

/** A set of keys. */
export interface KeySet {
  readonly has: (key: Key) => boolean;
  readonly add: (key: Key) => void;
  readonly delete: (key: Key) => void;
  readonly size: () => number;
  readonly copy: () => KeySet;
}

/** Up to 64 bytes a typed array lies in the heap: with 8 KiB, the counts of a logged trial took 32 KiB of memory beside it. */
const KEYS = 512;
const bit = (key: number) => 1 << (key & 31);
const at = (key: number) => (key % KEYS) >>> 5;

/** One bit a dense integer; hashes as they are. `blocks` has the bits of 512 integers each; both are kept by the set. */
export function createKeySet(
  blocks = new Map<number, Uint32Array>(),
  hashes = new Set<bigint>(),
  initialSize = 0,
): KeySet {
  let size = initialSize;
  const blockOf = (key: number) => blocks.get(Math.floor(key / KEYS));
  const hasInteger = (key: number) => ((blockOf(key)?.[at(key)] ?? 0) & bit(key)) !== 0;
  return {
    has: (key) => (typeof key === "bigint" ? hashes.has(key) : hasInteger(key)),
    add: (key) => {
      if (typeof key === "bigint") {
        hashes.add(key);
        return;
      }
      if (hasInteger(key)) return;
      let block = blockOf(key);
      if (block === undefined) blocks.set(Math.floor(key / KEYS), (block = new Uint32Array(KEYS / 32)));
      block[at(key)] = (block[at(key)] ?? 0) | bit(key);
      size++;
    },
    delete: (key) => {
      if (typeof key === "bigint") {
        hashes.delete(key);
        return;
      }
      const block = blockOf(key);
      if (block === undefined || !hasInteger(key)) return;
      block[at(key)] = (block[at(key)] ?? 0) & ~bit(key);
      size--;
    },
    size: () => size + hashes.size,
    copy: () => {
      const copied = new Map([...blocks].map(([number, block]) => [number, block.slice()] as const));
      return createKeySet(copied, new Set(hashes), size);
    },
  };
}
