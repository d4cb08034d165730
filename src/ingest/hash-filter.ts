import type { IdentityHash } from "./identity-hash.ts";

/** A set of hashes that may take a stranger for a member, seldom, but never a member for a stranger. */
export interface HashFilter {
  readonly has: (hash: IdentityHash) => boolean;
  readonly add: (hash: IdentityHash) => void;
}

const BITS_PER_HASH = 32;
const BLOCK_WORDS = 8;
const SMALLEST_CAPACITY = 1 << 16;

/** Odd multipliers, one a word of a block, as the Parquet format has them for its split-block Bloom filter. */
const SALTS = Int32Array.of(
  0x47b6137b,
  0x44974d91,
  0x8824ad5b,
  0xa2b7289d,
  0x705495c7,
  0x2df1424b,
  0x9efc4947,
  0x5c6bfb31,
);

interface Layer {
  readonly words: Int32Array;
  readonly blocks: number;
  readonly capacity: number;
  count: number;
}

/**
 * A split-block Bloom filter of 32 bits a hash, which takes a stranger for a member about once in 100,000
 * times. A layer that is full is followed by one of twice its size; `expected` hashes fit into the first.
 */
export function createHashFilter(expected = 0): HashFilter {
  let last = createLayer(Math.max(SMALLEST_CAPACITY, expected));
  const layers: Layer[] = [last];
  const has = (hash: IdentityHash): boolean => {
    for (const layer of layers) if (holds(layer, hash)) return true;
    return false;
  };
  return {
    has,
    add: (hash) => {
      for (const layer of layers) if (layer !== last && holds(layer, hash)) return;
      if (last.count >= last.capacity) {
        last = createLayer(last.capacity * 2);
        layers.push(last);
      }
      if (mark(last, hash)) last.count++;
    },
  };
}

function createLayer(capacity: number): Layer {
  const blocks = Math.ceil((capacity * BITS_PER_HASH) / (32 * BLOCK_WORDS));
  return { words: new Int32Array(blocks * BLOCK_WORDS), blocks, capacity, count: 0 };
}

/** Blocks are in the order of the hashes, so that sorted hashes are added from one end to the other. */
function blockStart(blocks: number, high: number): number {
  return Math.floor(((high >>> 0) * blocks) / 2 ** 32) * BLOCK_WORDS;
}

function holds({ words, blocks }: Layer, { low, high }: IdentityHash): boolean {
  const start = blockStart(blocks, high);
  for (let i = 0; i < BLOCK_WORDS; i++) {
    if (((words[start + i] ?? 0) & (1 << (Math.imul(low, SALTS[i] ?? 1) >>> 27))) === 0) return false;
  }
  return true;
}

/** Returns whether the layer had not held the hash. */
function mark({ words, blocks }: Layer, { low, high }: IdentityHash): boolean {
  const start = blockStart(blocks, high);
  let missing = 0;
  for (let i = 0; i < BLOCK_WORDS; i++) {
    const word = words[start + i] ?? 0;
    const bit = 1 << (Math.imul(low, SALTS[i] ?? 1) >>> 27);
    missing |= ~word & bit;
    words[start + i] = word | bit;
  }
  return missing !== 0;
}
