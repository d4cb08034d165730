import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { labelPlaces } from "../../src/view/plots/label-places.ts";

const HEIGHT = 260;
const dots = fc.array(
  fc.record({
    x: fc.double({ min: 0, max: 1, noNaN: true }),
    y: fc.double({ min: 0, max: HEIGHT, noNaN: true }),
    text: fc.string({ minLength: 1, maxLength: 40 }),
  }),
  { maxLength: 40 },
);

describe("labels of a plot", () => {
  it("cross no marker, on a narrow page and on a wide one", () => {
    fc.assert(
      fc.property(dots, fc.constantFrom(290, 490, 1080), (all, width) => {
        const places = labelPlaces(all, HEIGHT);
        for (const [i, place] of places.entries()) {
          const own = all[i];
          if (place === null || own === undefined) continue;
          const long = own.text.length * 6.2;
          const start = { start: 0, middle: long / 2, end: long }[place.anchor];
          const left = own.x * width + place.dx - start;
          const bottom = own.y + place.dy;
          for (const { x, y } of all) {
            const beside = x * width + 5 <= left || x * width - 5 >= left + long;
            const apart = y + 5 <= bottom - 9 || y - 5 >= bottom;
            expect(beside || apart).toBe(true);
          }
        }
      }),
    );
  });

  it("are all there where dots are few and apart", () => {
    const all = [0.1, 0.4, 0.7, 0.9].map((x, i) => ({ x, y: 40 + i * 50, text: `model ${i}` }));
    expect(labelPlaces(all, HEIGHT)).not.toContain(null);
  });

  it("are there for evaluations that stand at one point", () => {
    const all = Array.from({ length: 6 }, (_, i) => ({ x: 0.5, y: 130, text: `model ${i}` }));
    expect(labelPlaces(all, HEIGHT)).not.toContain(null);
  });
});
