import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LONGEST_MARKED, markedInAny, marksOf, type Part } from "../../../src/view/rows/marks.ts";

const text = (parts: readonly Part[]) => parts.map((part) => part.text).join("");
const plain = (parts: readonly Part[]) => text(parts.filter((part) => !part.marked));
const marked = (parts: readonly Part[]) => parts.filter((part) => part.marked).map((part) => part.text);

describe("the marks of two texts", () => {
  it("are words where most of the text is common", () => {
    const marks = marksOf("The answer is 12 apples in all.", "The answer is 14 apples in all.");
    expect(marked(marks?.left ?? [])).toEqual(["12"]);
    expect(marked(marks?.right ?? [])).toEqual(["14"]);
  });

  it("are sentences where less than half is common", () => {
    const marks = marksOf(
      "We add both. The salary rises by ten percent. So it is 10,080.",
      "We add both. Nobody pays taxes here! Hence: 9,360 it must be.",
    );
    expect(plain(marks?.left ?? [])).toBe("We add both. ");
    expect(marked(marks?.right ?? []).join("")).toBe("Nobody pays taxes here! Hence: 9,360 it must be.");
  });

  it("are none for equal texts, and everything for texts that share nothing", () => {
    expect(marksOf("same\n", "same\n")).toEqual({
      left: [{ text: "same\n", marked: false }],
      right: [{ text: "same\n", marked: false }],
    });
    expect(marked(marksOf("abc", "xyz")?.left ?? [])).toEqual(["abc"]);
  });

  it("leave each text whole, with equal rests", () => {
    const words = fc.array(fc.constantFrom("a ", "b ", "long ", "é. ", "\n", "1")).map((all) => all.join(""));
    fc.assert(
      fc.property(words, words, (left, right) => {
        const marks = marksOf(left, right);
        expect(text(marks?.left ?? [])).toBe(left);
        expect(text(marks?.right ?? [])).toBe(right);
        expect(plain(marks?.left ?? [])).toBe(plain(marks?.right ?? []));
      }),
    );
  });

  it("are not made of texts that are too long", () => {
    expect(marksOf("a".repeat(LONGEST_MARKED + 1), "a")).toBeNull();
  });

  it("end soon for long texts without anything in common", () => {
    expect(marked(marksOf(numbers(0), numbers(20_000))?.left ?? []).length).toBe(1);
  });
});

function numbers(from: number): string {
  return Array.from({ length: 8000 }, (_, i) => String(from + i)).join(". ");
}

describe("a text that is compared with several", () => {
  it("has the marks of each, and all of its text", () => {
    const one = "the cat sat on the mat today";
    const all = ["the dog sat on the mat today", "the cat sat on a mat today", one].map(
      (other) => marksOf(one, other)?.left ?? [],
    );
    const merged = markedInAny(all);
    expect(text(merged)).toBe(one);
    expect(marked(merged)).toEqual(["cat", "the"]);
    expect(markedInAny([])).toEqual([]);
  });
});
