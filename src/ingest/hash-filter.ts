import type { IdentityHash } from "./identity-hash.ts";

/** A set of hashes that may take a stranger for a member, seldom, but never a member for a stranger. */
export interface HashFilter {
  /** The last one grows. */
  readonly layers: readonly HashLayer[];
  readonly has: (hash: IdentityHash) => boolean;
  readonly add: (hash: IdentityHash) => void;
}

const BITS_PER_HASH = 24;
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

/** `words` have {@link layerWords} of the capacity, and so many hashes were added. */
export interface HashLayer {
  readonly words: Int32Array<ArrayBuffer>;
  readonly capacity: number;
  used: number;
}

/**
 * A split-block Bloom filter of 24 bits a hash, of which a full layer takes a stranger for a member about once
 * in 20,000 times. It is followed by one of twice its size; `expected` hashes fit into the first. `stored`:
 * the layers that such a filter had before.
 */
export function createHashFilter(expected = 0, stored: readonly HashLayer[] = []): HashFilter {
  let last = stored.at(-1) ?? createLayer(Math.max(SMALLEST_CAPACITY, Math.ceil(expected)));
  const layers = stored.length > 0 ? [...stored] : [last];
  const has = (hash: IdentityHash): boolean => {
    for (const layer of layers) if (holds(layer, hash)) return true;
    return false;
  };
  return {
    layers,
    has,
    add: (hash) => {
      for (const layer of layers) if (layer !== last && holds(layer, hash)) return;
      if (last.used >= last.capacity) {
        last = createLayer(last.capacity * 2);
        layers.push(last);
      }
      if (mark(last, hash)) last.used++;
    },
  };
}

export function layerWords(capacity: number): number {
  return Math.ceil((capacity * BITS_PER_HASH) / (32 * BLOCK_WORDS)) * BLOCK_WORDS;
}

function createLayer(capacity: number): HashLayer {
  return { words: new Int32Array(layerWords(capacity)), capacity, used: 0 };
}

/** Blocks are in the order of the hashes, so that sorted hashes are added from one end to the other. */
function blockStart(words: Int32Array, high: number): number {
  return Math.floor(((high >>> 0) * (words.length / BLOCK_WORDS)) / 2 ** 32) * BLOCK_WORDS;
}

function holds({ words }: HashLayer, { low, high }: IdentityHash): boolean {
  const start = blockStart(words, high);
  for (let i = 0; i < BLOCK_WORDS; i++) {
    if (((words[start + i] ?? 0) & (1 << (Math.imul(low, SALTS[i] ?? 1) >>> 27))) === 0) return false;
  }
  return true;
}

/** Returns whether the layer had not held the hash. */
function mark({ words }: HashLayer, { low, high }: IdentityHash): boolean {
  const start = blockStart(words, high);
  let missing = 0;
  for (let i = 0; i < BLOCK_WORDS; i++) {
    const word = words[start + i] ?? 0;
    const bit = 1 << (Math.imul(low, SALTS[i] ?? 1) >>> 27);
    missing |= ~word & bit;
    words[start + i] = word | bit;
  }
  return missing !== 0;
}
