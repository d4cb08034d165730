import { describe, expect, it } from "vitest";
import { align, commonLength } from "../../src/respond/steps/align.ts";
import { seededRandom } from "../../src/stats/numeric/random.ts";

const SEED = Number(process.env["SEED"] ?? 42);

/** The rule as it is written down: both heads, the length of what is left looked up by recursion. */
function byRule(a: readonly string[], b: readonly string[]): (readonly [number | null, number | null])[] {
  const known = new Map<string, number>();
  const length = (i: number, j: number): number => {
    if (i >= a.length || j >= b.length) return 0;
    const key = `${i}:${j}`;
    const found =
      known.get(key) ??
      (a[i] === b[j] ? 1 + length(i + 1, j + 1) : Math.max(length(i + 1, j), length(i, j + 1)));
    known.set(key, found);
    return found;
  };
  const lines: (readonly [number | null, number | null])[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) lines.push([i++, j++]);
    else if (j >= b.length || (i < a.length && length(i + 1, j) >= length(i, j + 1))) lines.push([i++, null]);
    else lines.push([null, j++]);
  }
  return lines;
}

const own = (name: string, count: number) => Array.from({ length: count }, (_, i) => `${name}${i % 7}`);

describe(`two lists of actions (SEED=${SEED})`, () => {
  it("stand beside each other by the rule, whatever they begin and end with", () => {
    const random = seededRandom(SEED);
    const list = (most: number, letters: number) =>
      Array.from({ length: Math.floor(random() * most) }, () =>
        "abcdef".charAt(Math.floor(random() * letters)),
      );
    for (let run = 0; run < 3000; run++) {
      const letters = 1 + Math.floor(random() * 5);
      const [start, end] = [list(4, letters), list(5, letters)];
      const [a, b] = [list(8, letters), list(8, letters)].map((middle) => [...start, ...middle, ...end]);
      expect(align(a ?? [], b ?? [])).toEqual({ lines: byRule(a ?? [], b ?? []), isUnaligned: false });
    }
  });

  it("put the end of one list where the rule finds it first, not at the end of the other", () => {
    expect(align("px", "qxx").lines).toEqual([
      [0, null],
      [null, 0],
      [1, 1],
      [null, 2],
    ]);
  });

  it("are aligned up to 2,000 actions between what they begin and end with, and stand behind each other beyond", () => {
    const within = align(["s", ...own("a", 2000), "e"], ["s", ...own("b", 1999), "a6", "e"]);
    expect(within.isUnaligned).toBe(false);
    expect(within.lines.filter(([a, b]) => a !== null && b !== null)).toHaveLength(3);
    const beyond = align(["s", ...own("a", 2001), "e"], ["s", "b0", "e"]);
    expect(beyond.isUnaligned).toBe(true);
    expect(beyond.lines.slice(0, 2)).toEqual([
      [0, 0],
      [1, null],
    ]);
    expect(beyond.lines.slice(-2)).toEqual([
      [null, 1],
      [2002, 2],
    ]);
  });

  it("take no table where they are alike, however long they are", () => {
    const long = Array.from({ length: 1_000_000 }, (_, i) => i % 3);
    const { lines } = align(long, [...long.slice(0, 500_000), 9, ...long.slice(500_000)]);
    expect(lines).toHaveLength(1_000_001);
    expect(lines[500_000]).toEqual([null, 500_000]);
    expect(commonLength(long, long)).toBe(1_000_000);
  });
});
