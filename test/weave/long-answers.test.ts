import { expect, it } from "vitest";
import { createHold, readInParts, writeListAnswer } from "../../src/weave/request/long-answers.ts";

const MEBI = 1024 * 1024;

/** Reads items whose texts have these lengths; tells the items and characters of each part. */
async function partsOf(lengths: readonly number[], most: number) {
  const parts: [items: number, characters: number][] = [];
  const items = lengths.map((_, i) => i);
  const read = async (part: readonly number[]) => {
    const texts = new Map(part.map((i) => [i, "x".repeat(lengths[i] ?? 0)]));
    parts.push([part.length, part.reduce((sum, i) => sum + (lengths[i] ?? 0), 0)]);
    return Promise.resolve(texts);
  };
  const seen: number[] = [];
  for await (const [item, text] of readInParts(items, { most, keyOf: (i) => i, read, signal: undefined })) {
    expect(text).toHaveLength(lengths[item] ?? 0);
    seen.push(item);
  }
  expect(seen).toEqual(items);
  return parts;
}

it("short texts are read many at once", async () => {
  expect(
    await partsOf(
      Array.from({ length: 300 }, () => 10),
      200,
    ),
  ).toEqual([
    [4, 40],
    [16, 160],
    [64, 640],
    [200, 2000],
    [16, 160],
  ]);
});

it("of long texts few are read at once, however many come", async () => {
  const parts = await partsOf(
    [...Array.from({ length: 20 }, () => 10), ...Array.from({ length: 12 }, () => 8 * MEBI), 5, 5],
    16,
  );
  expect(Math.max(...parts.slice(3).map(([, characters]) => characters))).toBeLessThanOrEqual(16 * MEBI);
});

it("a list is written as JSON in pieces, with what follows it", async () => {
  for (const items of [[], ["1"], ["1", "[2]"], Array.from({ length: 30_000 }, (_, i) => String(i))]) {
    const pieces: string[] = [];
    for await (const piece of writeListAnswer("a", items, ',"n":1')) pieces.push(piece);
    expect(JSON.parse(pieces.join(""))).toEqual({ a: items.map((one) => JSON.parse(one) as unknown), n: 1 });
    expect(pieces.length).toBe(items.length > 9 ? 3 : 1);
  }
});

it("an answer that would hold too much is refused", () => {
  const hold = createHold("refs", "ask for fewer at once");
  const text = "x".repeat(64 * MEBI);
  for (let i = 0; i < 4; i++) expect(hold(text)).toBe(text);
  expect(() => hold("x")).toThrow("refs: must lead to at most 268435456 characters: ask for fewer at once");
});
