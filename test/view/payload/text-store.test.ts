import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TextStore } from "../../../src/view/payload/text-store.ts";

/** Texts of which a few fill a chunk, and some are longer than one. */
const texts = fc.array(
  fc.option(fc.tuple(fc.string({ unit: "binary", maxLength: 3 }), fc.nat(40_000)), { nil: undefined }),
  { maxLength: 30 },
);

describe("stored texts", () => {
  it("are the ones that were added, and any part of their bytes", () => {
    fc.assert(
      fc.property(texts, fc.nat(400_000), fc.nat(400_000), (parts, a, b) => {
        const added = parts.map((part) => part?.[0].toWellFormed().repeat(part[1]));
        const store = new TextStore(added.length);
        for (const [place, text] of added.entries()) if (text !== undefined) store.add(place, text);
        expect([...store.texts()]).toEqual(added);
        const whole = Buffer.from(added.join(""), "utf8");
        expect(store.size).toBe(whole.length);
        const [from, to] = [Math.min(a, b), Math.max(a, b)];
        expect(Buffer.concat([...store.bytes(from, to)]).equals(whole.subarray(from, to))).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  it("take a part of their memory", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const held = () => {
      collect();
      return process.memoryUsage().arrayBuffers;
    };
    const text = Buffer.from("Each of the seven answers is a sentence like this one. ".repeat(500));
    const before = held();
    const store = new TextStore(500);
    for (let place = 0; place < 500; place++) store.add(place, text);
    // Buffers are given back a while after their collection.
    await expect.poll(() => held() - before, { timeout: 10_000 }).toBeLessThan(store.size / 10);
    expect(store.size).toBe(500 * text.length);
  });
});
