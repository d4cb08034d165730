import type { Key } from "../../model/digest.ts";
import { createHashSet, type HashSet, type PackedHashes } from "./hash-set.ts";

/** A set of keys. */
export interface KeySet {
  readonly has: (key: Key) => boolean;
  readonly add: (key: Key) => void;
  readonly delete: (key: Key) => void;
  readonly size: () => number;
  readonly copy: () => KeySet;
  readonly pack: () => PackedKeys;
}

/** A set of keys as plain data. */
export interface PackedKeys {
  /** The numbers of the blocks of 512 integers in which a key is, and their bits end to end. */
  readonly numbers: Uint32Array<ArrayBuffer>;
  readonly words: Uint32Array<ArrayBuffer>;
  readonly hashes: PackedHashes;
  readonly integers: number;
}

/**
 * Up to 64 bytes a typed array lies in the heap: with 8 KiB, the counts of a logged trial took 32 KiB of memory beside
 * it.
 */
const KEYS = 512;
const BLOCK_WORDS = KEYS / 32;
const bit = (key: number) => 1 << (key & 31);
const at = (key: number) => (key % KEYS) >>> 5;

/**
 * One bit a dense integer, eight bytes and more a hash. `blocks` has the bits of 512 integers each; both are kept by
 * the set.
 */
export function createKeySet(
  blocks = new Map<number, Uint32Array>(),
  hashes: HashSet = createHashSet(),
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
      if (block === undefined) blocks.set(Math.floor(key / KEYS), (block = new Uint32Array(BLOCK_WORDS)));
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
    size: () => size + hashes.size(),
    copy: () => unpackKeySet(packKeys(blocks, hashes, size)),
    pack: () => packKeys(blocks, hashes, size),
  };
}

function packKeys(blocks: ReadonlyMap<number, Uint32Array>, hashes: HashSet, integers: number): PackedKeys {
  const words = new Uint32Array(blocks.size * BLOCK_WORDS);
  [...blocks.values()].forEach((block, i) => words.set(block, i * BLOCK_WORDS));
  return { numbers: Uint32Array.from(blocks.keys()), words, hashes: hashes.pack(), integers };
}

export function unpackKeySet({ numbers, words, hashes, integers }: PackedKeys): KeySet {
  const blocks = new Map<number, Uint32Array>();
  numbers.forEach((number, i) => blocks.set(number, words.slice(i * BLOCK_WORDS, (i + 1) * BLOCK_WORDS)));
  return createKeySet(blocks, createHashSet(hashes), integers);
}
