import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ROW_HEIGHT, rowWindow, scrolledHeight, scrollTo } from "../../../src/view/row-parts/row-window.ts";

const HEIGHT = 700;
const seenRows = HEIGHT / ROW_HEIGHT;

describe("the window of a table", () => {
  it.each([0, 1, 8, 1319, 100_000, 3_000_000])("shows every one of %i rows that is scrolled to", (count) => {
    const highest = Math.max(0, scrolledHeight(count, ROW_HEIGHT) - HEIGHT);
    fc.assert(
      fc.property(fc.double({ min: 0, max: highest, noNaN: true }), (top) => {
        const { first, end, above } = rowWindow(count, top, HEIGHT, ROW_HEIGHT);
        const offset = (top - above) / ROW_HEIGHT;
        expect(first).toBeGreaterThanOrEqual(0);
        expect(end).toBeLessThanOrEqual(count);
        expect(end - first).toBeLessThan(70);
        expect(first + offset).toBeGreaterThanOrEqual(first);
        expect(Math.min(count, first + offset + seenRows)).toBeLessThanOrEqual(end + 1e-6);
      }),
    );
  });

  it.each([1319, 3_000_000])("brings any of %i rows into sight", (count) => {
    fc.assert(
      fc.property(fc.nat(count - 1), (place) => {
        const top = scrollTo(count, place, 0, HEIGHT, ROW_HEIGHT) ?? 0;
        const { first, above } = rowWindow(count, top, HEIGHT, ROW_HEIGHT);
        const seen = first + (top - above) / ROW_HEIGHT;
        expect(place).toBeGreaterThanOrEqual(seen - 1e-6);
        expect(place + 1).toBeLessThanOrEqual(seen + seenRows + 1e-6);
      }),
    );
  });
});
