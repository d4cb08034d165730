import fc from "fast-check";
import { expect, it } from "vitest";
import { decodeRows } from "../../../src/view/payload/decode.ts";
import { reportRows } from "../../../src/view/rows/report-rows.ts";
import { shortDigests } from "../../../src/view/file/short-digests.ts";
import { encodeObjects } from "../../support/payload-rows.ts";

it("starts of digests are unique, at least eight long, and in the order of the whole ones", () => {
  const digests = fc.uniqueArray(
    fc.oneof(
      fc.string({ maxLength: 20 }),
      fc.string({ unit: fc.constantFrom("a", "b", "😀"), maxLength: 20 }),
    ),
  );
  fc.assert(
    fc.property(digests, (whole) => {
      const short = shortDigests(whole);
      const byDigest = whole.map((digest, i) => [digest, short[i] ?? ""] as const);
      for (const [digest, start] of byDigest) {
        expect(digest.startsWith(start)).toBe(true);
        expect(start === digest || start.length >= 8).toBe(true);
        const others = whole.filter((one) => one !== digest && one.startsWith(start));
        expect(start === digest ? [] : others).toEqual([]);
      }
      expect(new Set(short).size).toBe(whole.length);
      const ordered = byDigest.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, start]) => start);
      expect(ordered).toEqual([...short].sort());
    }),
  );
});

it("a report that holds the starts of digests finds a row by its start and by its whole digest", async () => {
  const digests = ["abc", "abcdefgh1", "abcdefgh1x", "zyxwvuts99"];
  const rows = shortDigests(digests).map((digest, i) => ({ digest, input: i, trials: [] }));
  const left = { outputs: "none", inputs: "whole", digests: "start", rowsNotHere: 0 } as const;
  const source = reportRows(
    await decodeRows(await encodeObjects({ evaluations: [], dimensions: [], rows, left })),
  );
  const { signal } = new AbortController();
  const found = async (digest: string) => (await source.detail(digest, signal))?.input;
  for (const [i, digest] of digests.entries()) {
    expect(await found(digest)).toBe(i);
    expect(await found(rows[i]?.digest ?? "")).toBe(i);
  }
  expect(await found("abd")).toBeUndefined();
  expect(await found("zyxwvu")).toBeUndefined();
});
