import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { QuickCsv } from "../../src/import/formats/table/readers/quick-csv.ts";

/** The records that the cutter gives of a text that comes in pieces, and whether it gives up. */
function cut(text: string, delimiter: string, ends: readonly number[]) {
  const quick = new QuickCsv(delimiter);
  const places = [...ends.map((end) => end % (text.length + 1)).toSorted((a, b) => a - b), text.length];
  const records: string[][] = [];
  let from = 0;
  for (const [i, end] of places.entries()) {
    const some = quick.add(text.slice(from, end), i === places.length - 1);
    if (some === null) return { records, givesUp: true };
    records.push(...some);
    from = end;
  }
  return { records, givesUp: false };
}

/** The records that csv-parse reads before it refuses one. */
function parsed(text: string, delimiter: string) {
  const records: string[][] = [];
  const keep = (record: string[]) => {
    records.push(record);
    return null;
  };
  try {
    parse(text, { delimiter, relax_column_count: true, on_record: keep });
    return { records, isRefused: false };
  } catch {
    return { records, isRefused: true };
  }
}

const ENDS = fc.array(fc.nat(1000), { maxLength: 6 });
const DELIMITER = fc.constantFrom(",", ";", "\t", "|");
const LINE_END = fc.constantFrom("\n", "\r\n");
const letters = (...others: string[]) =>
  fc.string({ unit: fc.constantFrom("a", "é", "🦆", " ", ...others), maxLength: 20 });

describe("CSV that is cut by its quotes", () => {
  it("has the records that csv-parse reads, wherever its pieces end, or gives up where they differ", () => {
    fc.assert(
      fc.property(letters(",", ",", '"', '"', "\n", "\n", "\r"), ENDS, (text, ends) => {
        const { records, givesUp } = cut(text, ",", ends);
        const right = parsed(text, ",");
        const begin = { records: right.records.slice(0, records.length), isRefused: false };
        expect({ records, isRefused: false }).toEqual(givesUp ? begin : right);
      }),
      { numRuns: 3000 },
    );
  });

  it("is cut to its end where cells are quoted as a whole and lines end alike", () => {
    const plain = letters().map((cell) => ({ cell, text: cell }));
    const quoted = letters(",", '"', "\n", "\r", ";", "|").map((cell) => ({
      cell,
      text: `"${cell.replaceAll('"', '""')}"`,
    }));
    const records = fc.array(fc.array(fc.oneof(plain, quoted), { minLength: 2, maxLength: 4 }), {
      minLength: 1,
    });
    fc.assert(
      fc.property(records, DELIMITER, LINE_END, ENDS, (some, delimiter, lineEnd, ends) => {
        const text = some.map((cells) => cells.map((one) => one.text).join(delimiter) + lineEnd).join("");
        const cells = some.map((record) => record.map(({ cell }) => cell));
        expect(cut(text, delimiter, ends)).toEqual({ records: cells, givesUp: false });
      }),
    );
  });
});
