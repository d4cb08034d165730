import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createHashSet } from "../../src/ingest/keys/hash-set.ts";

const SEED = Number(process.env["SEED"] ?? 411);
/** Few upper halves, so that many want the same slots. */
const hash = fc
  .tuple(fc.integer({ min: 1, max: 40 }), fc.constantFrom(0, 1, 6, 7, 2 ** 31, 2 ** 32 - 1))
  .map(([low, high]) => (BigInt(high) << 32n) | BigInt(low));
const step = fc.tuple(fc.constantFrom("add" as const, "add" as const, "delete" as const), hash);

describe("a set of hashes", () => {
  it(`holds what a Set holds, after each of many additions and removals (SEED=${SEED})`, () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const [set, model] = [createHashSet(), new Set<bigint>()];
        for (const [what, one] of steps) {
          set[what](one);
          model[what](one);
          expect(set.size()).toBe(model.size);
        }
        const all = steps.map(([, one]) => one);
        expect(all.filter((one) => set.has(one))).toEqual(all.filter((one) => model.has(one)));
      }),
      { seed: SEED, numRuns: 500 },
    );
  });

  it("knows all of many hashes and no other, and so does its copy, which changes alone", () => {
    const set = createHashSet();
    const hashes = Array.from({ length: 100_000 }, (_, i) =>
      BigInt.asUintN(64, BigInt(i) * 0x9e3779b97f4a7c15n),
    );
    const [members, strangers] = [hashes.slice(0, 50_000), hashes.slice(50_000)];
    members.forEach(set.add);
    const copy = createHashSet(set.pack());
    copy.add(strangers[0] ?? 0n);
    for (const one of [set, copy]) expect(members.every(one.has)).toBe(true);
    expect(strangers.some(set.has)).toBe(false);
    expect([set.size(), copy.size()]).toEqual([50_000, 50_001]);
  });
});
