import fc from "fast-check";
import { expect, it } from "vitest";
import { batchRanges, cutBatches } from "../../src/arrow/batch-cut.ts";
import { PlacedTexts } from "../../src/arrow/placed-texts.ts";
import { placedBooleans, placedDoubles } from "../../src/arrow/placed-values.ts";
import { RepeatedTexts } from "../../src/arrow/repeated-texts.ts";
import { openStore } from "../../src/engine/duckdb/store.ts";
import type { ChunkTexts, ColumnValues } from "../../src/model/columns.ts";
import { sql } from "../../src/model/sql.ts";
import { createTurns } from "../../src/model/turns.ts";

const SEED = Number(process.env["SEED"] ?? 616);
const turns = createTurns();

/** Texts one behind the other, with something in between. */
function chunkOf(texts: readonly (string | null)[]): ChunkTexts {
  const bytes = Buffer.from(texts.map((text) => `#${text ?? ""}`).join(""), "utf8");
  const lengths = Int32Array.from(texts, (text) => (text === null ? -1 : Buffer.byteLength(text)));
  let at = 0;
  const starts = lengths.map((length) => {
    const start = at + 1;
    at = start + Math.max(0, length);
    return start;
  });
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), starts, lengths };
}

function isValid(validity: Uint8Array | null, i: number): boolean {
  return validity === null || (((validity[i >> 3] ?? 0) >> (i & 7)) & 1) === 1;
}

function textsOf(parts: readonly ColumnValues[]): (string | null)[] {
  return parts.flatMap(({ length, nulls, validity, bytes, offsets }) => {
    const found = Array.from({ length }, (_, i) =>
      isValid(validity, i) ? Buffer.from(bytes ?? []).toString("utf8", offsets?.[i], offsets?.[i + 1]) : null,
    );
    expect(found.filter((text) => text === null)).toHaveLength(nulls);
    return found;
  });
}

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }).map((some) => some.toWellFormed()),
  fc.integer({ min: 0, max: 40 }).map((n) => "é\u007f\u{1f600}".repeat(n)),
  fc.integer({ min: 480, max: 540 }).map((n) => "x".repeat(n)),
);
const nullable = fc.option(text, { freq: 5 });

/** Numbers 0 to n - 1 in another order. */
function shuffled(n: number, seed: number): number[] {
  let state = seed;
  const keys = Array.from(
    { length: n },
    (_, i) => [(state = (Math.imul(state, 1664525) + 1013904223) | 0), i] as const,
  );
  return keys.toSorted(([a], [b]) => a - b).map(([, i]) => i);
}

it(`texts that come in any order stand where they belong (SEED=${SEED})`, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(nullable, { maxLength: 60 }),
      fc.integer(),
      fc.constantFrom(3, 4, 16),
      async (texts, seed, bits) => {
        const order = shuffled(texts.length, seed);
        const cut = { length: texts.length, bits };
        const column = await PlacedTexts.make(cut, chunkOf(texts).lengths, turns);
        const half = order.length >> 1;
        for (const some of [order.slice(0, half), order.slice(half)]) {
          // A record that has no place is left out.
          const places = Int32Array.from([...some, -1]);
          const chunk = chunkOf([...some.map((place) => texts[place] ?? null), "stranger"]);
          column.place(places, chunk, 0, places.length);
        }
        expect(textsOf(column.take())).toEqual(texts);
      },
    ),
    { seed: SEED, numRuns: 150 },
  );
});

it("a text that is not as long as it was said to be is an error", async () => {
  const column = await PlacedTexts.make({ length: 1, bits: 3 }, Int32Array.of(3), turns);
  expect(() => column.place(Int32Array.of(0), chunkOf(["it"]), 0, 1)).toThrow("not as long");
});

it(`texts of which each is that of many records are repeated (SEED=${SEED})`, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(nullable, { minLength: 1, maxLength: 9 }),
      fc.array(fc.nat(), { maxLength: 40 }),
      async (texts, picks) => {
        const which = picks.map((pick) => pick % texts.length);
        const column = new RepeatedTexts();
        column.add(chunkOf(texts.slice(0, 4)));
        column.add(chunkOf(texts.slice(4)));
        const parts = await column.take({ length: which.length, bits: 3 }, Int32Array.from(which), turns);
        expect(textsOf(parts)).toEqual(which.map((i) => texts[i]));
      },
    ),
    { seed: SEED, numRuns: 100 },
  );
});

it("numbers and booleans that do not come are null", () => {
  const cut = { length: 20, bits: 3 };
  const doubles = placedDoubles(20);
  const booleans = placedBooleans(20);
  for (const column of [doubles, booleans]) {
    column.place(
      Int32Array.of(19, 0, -1, 9, 5),
      Float64Array.of(1, 0, 7, 0.5, 8),
      Uint8Array.of(0b01111),
      0,
      5,
    );
  }
  expect(doubles.take(cut).map(({ nulls }) => nulls)).toEqual([7, 7, 3]);
  const last = doubles.take(cut)[2];
  expect([last?.validity?.[0], new Float64Array(last?.bytes?.slice().buffer ?? new ArrayBuffer(0))]).toEqual([
    0b1000,
    Float64Array.of(0, 0, 0, 1),
  ]);
  expect(booleans.take(cut).map(({ bytes, validity }) => [bytes?.[0], validity?.[0]])).toEqual([
    [0, 1],
    [0, 2],
    [8, 8],
  ]);
});

it("a batch has fewer records where its texts are long", async () => {
  const lengths = new Int32Array(100_000).fill(10);
  expect(batchRanges(await cutBatches(100_000, [lengths], turns))).toEqual([
    [0, 65_536],
    [65_536, 100_000],
  ]);
  lengths.fill(100_000, 70_000, 70_064);
  const { bits } = await cutBatches(100_000, [lengths, new Int32Array(100_000).fill(-1)], turns);
  expect(bits).toBe(16);
  lengths.fill(10_000_000, 70_000, 70_064);
  expect((await cutBatches(100_000, [lengths], turns)).bits).toBe(3);
});

it("chunks have every text at its place, long, short, empty and null ones among each other", async () => {
  const store = await openStore({ path: ":memory:", readOnly: false, threads: 2, memoryLimit: null });
  const wrong: number[] = [];
  let records = 0;
  await store.read(async (session) => {
    const query = sql`SELECT i::INTEGER, i / 2, CASE WHEN i % 7 > 0 THEN repeat('é', (i * 31 % 40)::INTEGER) || i % 3 END,
      encode('b' || i) FROM range(50000) AS r(i)`;
    for await (const { columns, length } of session.chunks(query)) {
      const [integers, doubles, texts, bytes] = columns;
      if (integers?.kind !== "integers" || doubles?.kind !== "doubles") throw new TypeError("other kinds");
      if (texts?.kind !== "texts" || bytes?.kind !== "texts") throw new TypeError("other kinds");
      const letters = Buffer.from(texts.bytes);
      records += length;
      for (let i = 0; i < length; i++) {
        const n = integers.values[i] ?? 0;
        const from = texts.starts[i] ?? 0;
        const size = texts.lengths[i] ?? 0;
        const found = size < 0 ? null : letters.toString("utf8", from, from + size);
        const expected = n % 7 > 0 ? "é".repeat((n * 31) % 40) + String(n % 3) : null;
        if (found !== expected || doubles.values[i] !== n / 2 || bytes.lengths[i] !== `b${n}`.length)
          wrong.push(n);
      }
    }
  });
  await store.close();
  expect(records).toBe(50_000);
  expect(wrong).toEqual([]);
});
