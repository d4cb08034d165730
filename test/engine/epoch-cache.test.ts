import { describe, expect, it } from "vitest";
import { epochCache, remembered } from "../../src/flow/epoch-cache.ts";

describe("a cache of one state of the database", () => {
  it("forgets what was found longest ago where room is short, but not the newest entry", () => {
    const cache = epochCache<number>(10, (_key, size) => size);
    cache.find("", 1);
    for (const [key, size] of Object.entries({ a: 4, b: 4, c: 2 })) cache.keep(key, 1, size);
    expect(cache.find("a", 1)).toBe(4);
    cache.keep("d", 1, 3);
    expect(["a", "b", "c", "d"].map((key) => cache.find(key, 1))).toEqual([4, undefined, 2, 3]);
    cache.keep("a", 1, 5);
    expect(["a", "c", "d"].map((key) => cache.find(key, 1))).toEqual([5, 2, 3]);
    cache.keep("long", 1, 11);
    expect(["a", "c", "d", "long"].map((key) => cache.find(key, 1))).toEqual([
      undefined,
      undefined,
      undefined,
      11,
    ]);
  });

  it("reads once in a state, and each time where the state is unknown", async () => {
    const cache = epochCache<number | null>(10, () => 1);
    let reads = 0;
    const ask = (epoch: number | null) =>
      remembered(cache, epoch, "key", async () => (++reads === 1 ? null : reads));
    expect([await ask(1), await ask(1), await ask(2), await ask(2)]).toEqual([null, null, 2, 2]);
    expect([await ask(null), await ask(null), await ask(2)]).toEqual([3, 4, 2]);
  });

  it("keeps nothing of a state that is gone", () => {
    const cache = epochCache<number>(10, () => 1);
    cache.find("a", 2);
    cache.keep("a", 1, 1);
    expect([cache.find("a", 2), cache.find("a", 1)]).toEqual([undefined, undefined]);
  });
});
