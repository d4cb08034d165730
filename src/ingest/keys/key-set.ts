/** A set of dense keys: one bit each. */
export interface KeySet {
  readonly has: (key: number) => boolean;
  readonly add: (key: number) => void;
  readonly delete: (key: number) => void;
  readonly size: () => number;
  readonly copy: () => KeySet;
}

/** Up to 64 bytes a typed array lies in the heap: with 8 KiB, the counts of a logged trial took 32 KiB of memory beside it. */
const KEYS = 512;
const bit = (key: number) => 1 << (key & 31);
const at = (key: number) => (key % KEYS) >>> 5;

/** `blocks` has the bits of 512 keys each, and is kept by the set. */
export function createKeySet(blocks = new Map<number, Uint32Array>(), initialSize = 0): KeySet {
  let size = initialSize;
  const blockOf = (key: number) => blocks.get(Math.floor(key / KEYS));
  const has = (key: number) => ((blockOf(key)?.[at(key)] ?? 0) & bit(key)) !== 0;
  return {
    has,
    add: (key) => {
      if (has(key)) return;
      let block = blockOf(key);
      if (block === undefined) blocks.set(Math.floor(key / KEYS), (block = new Uint32Array(KEYS / 32)));
      block[at(key)] = (block[at(key)] ?? 0) | bit(key);
      size++;
    },
    delete: (key) => {
      const block = blockOf(key);
      if (block === undefined || !has(key)) return;
      block[at(key)] = (block[at(key)] ?? 0) & ~bit(key);
      size--;
    },
    size: () => size,
    copy: () => createKeySet(new Map([...blocks].map(([number, block]) => [number, block.slice()])), size),
  };
}
