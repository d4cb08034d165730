import type { Turns } from "../../../model/turns.ts";

const PAGE_BITS = 16;
const PAGE = 1 << PAGE_BITS;

/** Where records stand, by their keys. Takes 256 KiB for each stretch of 65,536 keys in which there is one. */
export class KeyPlaces {
  /** By the key, the place + 1. */
  readonly #pages: (Int32Array | undefined)[] = [];

  /** `places`: of each key, -1 for none. */
  static async of(keys: Int32Array, places: Int32Array, turns: Turns): Promise<KeyPlaces> {
    const byKey = new KeyPlaces();
    for (let i = 0; i < keys.length; i++) {
      if (i % PAGE === 0) await turns.take();
      const key = keys[i] ?? 0;
      const page = (byKey.#pages[key >> PAGE_BITS] ??= new Int32Array(PAGE));
      page[key & (PAGE - 1)] = (places[i] ?? -1) + 1;
    }
    return byKey;
  }

  /** The place of each of many keys, -1 for none. */
  async find(keys: Int32Array, turns: Turns): Promise<Int32Array> {
    const find = this.finder();
    const places = new Int32Array(keys.length);
    for (let from = 0; from < keys.length; from += PAGE) {
      await turns.take();
      places.set(find(keys.subarray(from, from + PAGE)), from);
    }
    return places;
  }

  /** Finds the place of each of some keys, -1 for none, always in the same memory. */
  finder(): (keys: Int32Array) => Int32Array {
    const pages = this.#pages;
    let places = new Int32Array(0);
    return (keys) => {
      if (places.length < keys.length) places = new Int32Array(keys.length);
      for (let i = 0; i < keys.length; i++) {
        const key = keys[i] ?? 0;
        places[i] = (pages[key >> PAGE_BITS]?.[key & (PAGE - 1)] ?? 0) - 1;
      }
      return places.subarray(0, keys.length);
    };
  }
}
