import type { IdentityHash } from "./identity-hash.ts";

/** An approximate set of hashes: no false negatives, one false positive in about 2^29. */
export interface HashFilter {
  /** Hashes are added to the last layer. */
  readonly layers: readonly HashLayer[];
  readonly has: (hash: IdentityHash) => boolean;
  readonly add: (hash: IdentityHash) => void;
}

const SMALLEST_CAPACITY = 1 << 16;

/**
 * `words` has the length {@link layerWords} of the capacity, and is shared with the thread of loads; `used` hashes were
 * added.
 */
export interface HashLayer {
  readonly words: Int32Array<SharedArrayBuffer>;
  readonly capacity: number;
  used: number;
}

/**
 * An open hash table of half hashes: one half of a hash gives the slot, the other half is stored there. When a layer is
 * full, one of twice its size follows; `expected` hashes fit into the first. `stored`: the layers of a saved filter.
 */
export function createHashFilter(expected = 0, stored: readonly HashLayer[] = []): HashFilter {
  let last = stored.at(-1) ?? createLayer(Math.max(SMALLEST_CAPACITY, Math.ceil(expected)));
  const layers = stored.length > 0 ? [...stored] : [last];
  const has = (hash: IdentityHash): boolean => {
    for (const layer of layers) if (layer.words[slotOf(layer, hash)] !== EMPTY) return true;
    return false;
  };
  return {
    layers,
    has,
    add: (hash) => {
      if (has(hash)) return;
      if (last.used >= last.capacity) {
        last = createLayer(last.capacity * 2);
        layers.push(last);
      }
      last.words[slotOf(last, hash)] = mark(hash);
      last.used++;
    },
  };
}

/** A third of the slots stays empty. */
export function layerWords(capacity: number): number {
  return Math.ceil((capacity * 3) / 2);
}

function createLayer(capacity: number): HashLayer {
  return { words: sharedWords(layerWords(capacity)), capacity, used: 0 };
}

export function sharedWords(count: number): Int32Array<SharedArrayBuffer> {
  return new Int32Array(new SharedArrayBuffer(count * Int32Array.BYTES_PER_ELEMENT));
}

const EMPTY = 0;

function mark({ low }: IdentityHash): number {
  return low | 0 || 1;
}

/**
 * The slot of a hash, or the empty slot where it belongs. Slots follow the order of the hashes, so sorted hashes are
 * added in memory order.
 */
function slotOf({ words }: HashLayer, hash: IdentityHash): number {
  const wanted = mark(hash);
  let slot = Math.floor(((hash.high >>> 0) * words.length) / 2 ** 32);
  for (;;) {
    const found = words[slot];
    if (found === wanted || found === EMPTY) return slot;
    slot = slot + 1 === words.length ? 0 : slot + 1;
  }
}
