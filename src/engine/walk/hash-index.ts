/** Finds hashes of 64 bits by their place in a list of halves, the lower one at an even place. */
export interface HashIndex {
  /** The place of a hash of another list; -1 where there is none. */
  readonly find: (halves: Int32Array, place: number) => number;
  /** Adds the hash at a place of the own list; returns the place at which it already is, else this one. */
  readonly add: (place: number) => number;
}

/** No place. */
export const NONE = -1;
const FEWEST_SLOTS = 8;

/** An open hash table for so many hashes of `own`. */
export function createHashIndex(own: Int32Array, most: number): HashIndex {
  const size = Math.max(FEWEST_SLOTS, 2 ** Math.ceil(Math.log2(most * 2 + 1)));
  const slots = new Int32Array(size).fill(NONE);
  const slotOf = (halves: Int32Array, place: number) => {
    const [low = 0, high = 0] = [halves[place * 2], halves[place * 2 + 1]];
    let slot = (low ^ (high >>> 7)) & (size - 1);
    for (let at = slots[slot] ?? NONE; at !== NONE; at = slots[slot] ?? NONE) {
      if (own[at * 2] === low && own[at * 2 + 1] === high) break;
      slot = (slot + 1) & (size - 1);
    }
    return slot;
  };
  return {
    find: (halves, place) => slots[slotOf(halves, place)] ?? NONE,
    add: (place) => {
      const slot = slotOf(own, place);
      const known = slots[slot] ?? NONE;
      if (known !== NONE) return known;
      slots[slot] = place;
      return place;
    },
  };
}
