import { diffArrays } from "diff";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ownItems } from "../../../src/view/rows/own-items.ts";

const words = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 40 });

describe("the items that each of two lists has alone", () => {
  it("are as few as another implementation leaves out, and the rest of both lists is equal", () => {
    fc.assert(
      fc.property(words, words, (a, b) => {
        const own = ownItems(a, b, 100);
        const [left, right] = [own?.left ?? [], own?.right ?? []];
        expect(a.filter((_, i) => left[i] === 0)).toEqual(b.filter((_, i) => right[i] === 0));
        const changes = diffArrays(a, b).filter((one) => one.added || one.removed);
        const edits = [...left, ...right].filter((one) => one === 1).length;
        expect(edits).toBe(changes.reduce((sum, { count }) => sum + count, 0));
      }),
    );
  });

  it("are not searched for beyond so many", () => {
    expect(ownItems(["a", "b"], ["c"], 2)).toBeNull();
    expect(ownItems(["a", "b"], ["c"], 3)).toEqual({
      left: Uint8Array.of(1, 1),
      right: Uint8Array.of(1),
    });
  });
});
