import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonCut, JsonPiece } from "../../src/import/read/json-cut.ts";
import { JsonCutter } from "../../src/import/read/json-cutter.ts";

/** Pushes a text in chunks that end at these places; gives the pieces, what is left of the document last. */
function piecesOf(text: string, cut: JsonCut, ends: readonly number[]): JsonPiece[] {
  const bytes = Buffer.from(text);
  const cutter = new JsonCutter(cut);
  const pieces: JsonPiece[] = [];
  let from = 0;
  for (const end of [
    ...ends.map((one) => one % (bytes.length + 1)).toSorted((a, b) => a - b),
    bytes.length,
  ]) {
    pieces.push(...cutter.push(bytes.subarray(from, end)));
    from = end;
  }
  return [...pieces, cutter.end()];
}

const valueOf = ({ text }: JsonPiece): unknown => JSON.parse(text.toString("utf8"));

/** Texts with what a cutter could take for an end. */
const TEXT = fc.string({
  unit: fc.constantFrom("\\", '"', "{", "}", "[", "]", ",", ":", " ", "N", "I", "\n", "é", "🦆", "a"),
  maxLength: 80,
});
const VALUE = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(null, true, false),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => (Object.is(one, -0) ? 0 : one)),
    TEXT,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(
      TEXT.filter((name) => name !== "__proto__"),
      tie("value"),
      { maxKeys: 4, noNullPrototype: true },
    ),
  ),
})).value;
const ENDS = fc.array(fc.nat(100_000), { maxLength: 30 });
const INDENT = fc.constantFrom(undefined, 1, "\t");
const RUNS = { numRuns: 500 };

describe("a JSON document that is cut while it arrives", () => {
  it("is itself where nothing is cut, wherever its chunks end", () => {
    fc.assert(
      fc.property(VALUE, INDENT, ENDS, (value, indent, ends) => {
        const text = JSON.stringify(value, null, indent);
        expect(piecesOf(text, {}, ends).map(valueOf)).toEqual([JSON.parse(text)]);
      }),
      RUNS,
    );
  });

  it("gives the elements of a list by their places, drops what is not wanted, and leaves the rest", () => {
    fc.assert(
      fc.property(
        fc.array(VALUE, { maxLength: 6 }),
        VALUE,
        VALUE,
        INDENT,
        ENDS,
        (list, kept, dropped, indent, ends) => {
          const text = JSON.stringify({ dropped, kept, inner: { list, dropped }, last: kept }, null, indent);
          const inner: JsonCut = { members: { list: { elements: {} } }, others: "skip" };
          const pieces = piecesOf(text, { members: { dropped: "skip", inner } }, ends);
          expect(pieces.map(({ place }) => place)).toEqual([...list.map((_, i) => `inner.list[${i}]`), ""]);
          const rest = { kept, inner: { list: [] }, last: kept };
          expect(pieces.map(valueOf)).toEqual(JSON.parse(JSON.stringify([...list, rest])));
        },
      ),
      RUNS,
    );
  });

  it("ends in the middle wherever it is cut off", () => {
    fc.assert(
      fc.property(
        fc.array(VALUE, { minLength: 1, maxLength: 4 }),
        fc.nat(100_000),
        ENDS,
        (list, at, ends) => {
          const bytes = Buffer.from(JSON.stringify({ list }));
          const text = bytes.subarray(0, at % bytes.length).toString("latin1");
          const cut = { members: { list: { elements: {} } } };
          expect(() => piecesOf(text, cut, ends)).toThrow(/truncated/);
        },
      ),
      RUNS,
    );
  });
});
