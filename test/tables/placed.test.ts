import fc from "fast-check";
import { Table, tableFromIPC, tableToIPC } from "apache-arrow";
import pl from "nodejs-polars";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { encodeBatch } from "../../src/arrow/encode/batch.ts";
import { encodeSchema } from "../../src/arrow/encode/types.ts";
import { Parking } from "../../src/arrow/views/parking.ts";
import { PlacedViews } from "../../src/arrow/views/placed-views.ts";
import { placedBooleans, placedDoubles } from "../../src/arrow/views/placed-values.ts";
import { RepeatedViews } from "../../src/arrow/views/repeated-views.ts";
import { TextBuffers } from "../../src/arrow/views/text-buffers.ts";
import { withTextViews } from "../../src/arrow/views/text-views.ts";
import { stringsOf } from "../../src/engine/sources/chunk-strings.ts";
import { openStore } from "../../src/engine/duckdb/store.ts";
import { KeyPlaces } from "../../src/engine/table/in-memory/key-index.ts";
import { orderBy, placed, placesBy } from "../../src/engine/table/in-memory/counting-sort.ts";
import type { ColumnChunk, ColumnValues } from "../../src/store/columns.ts";
import type { Store } from "../../src/store/session.ts";
import { sql, text as bound } from "../../src/store/sql.ts";
import { createTurns } from "../../src/model/turns.ts";

const SEED = Number(process.env["SEED"] ?? 616);
const turns = createTurns();

let store: Store;

beforeAll(async () => {
  store = await openStore({ path: ":memory:", readOnly: false, threads: 2, memoryLimit: null });
});
afterAll(() => store.close());

/** Lets DuckDB make chunks of one column of texts, which are there while `use` works. */
async function withChunks(
  texts: readonly (string | null)[],
  use: (chunk: ColumnChunk, first: number) => void,
): Promise<void> {
  await store.read(async (session) => {
    const list = sql`from_json(${bound(JSON.stringify(texts))}, '["VARCHAR"]')`;
    let first = 0;
    for await (const chunk of session.chunks(sql`SELECT unnest(${list})`)) {
      use(chunk, first);
      first += chunk.length;
    }
    expect(first).toBe(texts.length);
  });
}

/** As a table of one column, which is read by apache-arrow. */
function tableOf(values: ColumnValues): Table {
  const schema = encodeSchema([{ name: "text", type: { kind: "text view" } }]);
  return new Table([encodeBatch(schema, { length: values.length, columns: [values] })]);
}

function textsOf(values: ColumnValues): (string | null)[] {
  const found = readTexts(tableOf(values));
  expect(found.filter((text) => text === null)).toHaveLength(values.nulls);
  return found;
}

function readTexts(table: Table): (string | null)[] {
  return Array.from(table.getChild("text") ?? [], (text: string | null) => text);
}

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }).map((some) => some.toWellFormed()),
  fc.constantFrom("", "twelve bytes", "thirteen byte"),
  fc.integer({ min: 0, max: 40 }).map((n) => "é\u007f\u{1f600}".repeat(n)),
  fc.integer({ min: 3000, max: 6000 }).map((n) => "x".repeat(n)),
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
      fc.array(nullable, { minLength: 1, maxLength: 60 }),
      fc.integer(),
      async (texts, seed) => {
        const order = shuffled(texts.length, seed);
        const parking = new Parking();
        const column = new PlacedViews(texts.length, parking);
        // A record that has no place is left out.
        const coming = [...order.map((place) => texts[place] ?? null), "a stranger, who is long"];
        const places = Int32Array.from([...order, -1]);
        const half = order.length >> 1;
        await withChunks(coming, (chunk) => {
          column.place(places, chunk.texts(0, column.memory, half), half, chunk.length);
          column.place(places, chunk.texts(0, column.memory, 0, half), 0, half);
        });
        const taken = column.take(await parking.collect(turns));
        parking.close();
        expect(textsOf(taken)).toEqual(texts);
        expect(taken.validity?.length ?? 0).toBe(taken.nulls === 0 ? 0 : (texts.length + 7) >> 3);
      },
    ),
    { seed: SEED, numRuns: 100 },
  );
});

it(`texts of which each may be that of many records are repeated (SEED=${SEED})`, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(nullable, { minLength: 1, maxLength: 9 }),
      fc.array(text, { maxLength: 4 }),
      fc.array(fc.nat(), { maxLength: 40 }),
      async (texts, more, picks) => {
        const all = [...texts, ...more];
        const which = picks.map((pick) => pick % all.length);
        const column = new RepeatedViews();
        await withChunks(texts, (chunk) => column.add(chunk.texts(0, column.memory)));
        for (const one of more) column.addText(one);
        const values = await column.take(Int32Array.from(which), turns);
        expect(textsOf(values)).toEqual(which.map((i) => all[i]));
      },
    ),
    { seed: SEED, numRuns: 100 },
  );
});

it("numbers and booleans that do not come are null", () => {
  const doubles = placedDoubles(20);
  const booleans = placedBooleans(20);
  for (const column of [doubles, booleans]) {
    const values = Float64Array.of(1, 0, 7, 0.5, 8);
    column.place(Int32Array.of(19, 0, -1, 9, 5), { values, validity: Uint8Array.of(0b01111) }, 0, 5);
  }
  const taken = doubles.take();
  expect([taken.nulls, ...(taken.validity ?? [])]).toEqual([17, 1, 2, 8]);
  const numbers = new Float64Array(taken.bytes?.buffer ?? new ArrayBuffer(0));
  expect([numbers[0], numbers[9], numbers[19]]).toEqual([0, 0.5, 1]);
  expect([...(booleans.take().bytes ?? [])]).toEqual([0, 0, 8]);
});

describe("a slice of a column of text views", () => {
  const texts = Array.from({ length: 200 }, (_, i) =>
    i % 7 === 3 ? null : `${"é".repeat(i % 11)}${i}`.repeat(1 + (i % 3)),
  );
  const whole = async () => {
    const column = new RepeatedViews();
    await withChunks(texts, (chunk) => column.add(chunk.texts(0, column.memory)));
    return tableOf(await column.take(Int32Array.from(texts.keys()), turns));
  };

  it.each([
    [0, 200],
    [1, 200],
    [3, 4],
    [9, 9],
    [24, 90],
    [101, 110],
    [13, 14],
  ])("from %i to %i has its texts, also when it is sliced again or written", async (from, to) => {
    const slice = (await whole()).slice(from, to);
    expect(readTexts(slice)).toEqual(texts.slice(from, to));
    expect(readTexts(slice.slice(1, 5))).toEqual(texts.slice(from, to).slice(1, 5));
    for (const format of ["file", "stream"] as const) {
      expect(readTexts(tableFromIPC(tableToIPC(slice, format)))).toEqual(texts.slice(from, to));
    }
    const frame = pl.readIPC(Buffer.from(tableToIPC(slice, "file")));
    expect(frame.getColumn("text").toArray()).toEqual(texts.slice(from, to));
  });

  it("takes along no more than its texts where it is small", async () => {
    const table = await whole();
    const slice = table.slice(10, 15);
    const bytes = Buffer.byteLength(
      texts
        .slice(10, 15)
        .filter((one) => (one?.length ?? 0) > 12)
        .join(""),
    );
    const data = slice.getChild("text")?.data[0];
    expect(data?.variadicBuffers.reduce((sum, { length }) => sum + length, 0)).toBeLessThanOrEqual(bytes);
    expect(tableToIPC(slice).length).toBeLessThan(tableToIPC(table).length / 4);
  });

  it("takes along no more than its texts where it became small by one slice after another", async () => {
    const table = await whole();
    let slice = table;
    let from = 0;
    for (let length = table.numRows; length > 1;) {
      const half = length >> 1;
      slice = slice.slice(half, length);
      from += half;
      length -= half;
      expect(readTexts(slice)).toEqual(texts.slice(from));
    }
    const bytes = slice.getChild("text")?.data[0]?.variadicBuffers.reduce((sum, one) => sum + one.length, 0);
    expect(bytes).toBeLessThanOrEqual(Buffer.byteLength(texts.slice(-12).join("")));
  });
});

it("columns of Utf8 become views of the same memory", () => {
  const texts = ["short", null, "twelve bytes", "thirteen byte", "", "ünïcödé and more"];
  const bytes = new Uint8Array(Buffer.from(texts.join(""), "utf8"));
  let end = 0;
  const offsets = Int32Array.of(0, ...texts.map((one) => (end += Buffer.byteLength(one ?? ""))));
  const utf8 = { length: 6, nulls: 1, validity: Uint8Array.of(0b111101), bytes, offsets, children: [] };
  const [views] = withTextViews({ length: 6, columns: [utf8] }, () => true).columns;
  expect(views && textsOf(views)).toEqual(texts);
  expect(views?.buffers?.[0]).toBe(bytes);
});

it(`records stand by their keys, in the order before where these are equal (SEED=${SEED})`, async () => {
  const record = fc.record({ index: fc.nat(3), evaluation: fc.nat(2), row: fc.integer({ min: -1, max: 5 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(record, { maxLength: 60 }), async (records) => {
      const [indexes, evaluations, rows] = (["index", "evaluation", "row"] as const).map((name) =>
        Int32Array.from(records, (one) => one[name]),
      ) as [Int32Array, Int32Array, Int32Array];
      const order = await orderBy(evaluations, await orderBy(indexes, null, turns), turns);
      const found = await placesBy(rows, order, turns);
      const expected = records
        .map((one, i) => ({ ...one, i }))
        .filter(({ row }) => row >= 0)
        .toSorted((a, b) => a.row - b.row || a.evaluation - b.evaluation || a.index - b.index || a.i - b.i);
      expect([...found.keys]).toEqual(expected.map(({ row }) => row));
      expect([...(await placed(indexes, found, turns))]).toEqual(expected.map(({ index }) => index));
      expect(Array.from(records.keys(), (i) => found.places[i])).toEqual(
        Array.from(records.keys(), (i) => expected.findIndex((one) => one.i === i)),
      );
      const keys = Int32Array.from(records.keys(), (i) => 40_000 * i + 5);
      const find = (await KeyPlaces.of(keys, found.places, turns)).finder();
      expect(find(keys)).toEqual(found.places);
      expect([...find(Int32Array.of(0, 6, 2 ** 31 - 1))]).toEqual([-1, -1, -1]);
    }),
    { seed: SEED, numRuns: 200 },
  );
});

it("buffers that were parked come back by their tickets", async () => {
  const parking = new Parking();
  const memory = new TextBuffers(parking);
  const runs = Array.from({ length: 50 }, (_, i) => new Uint8Array(i % 3 === 0 ? 10 + i : 5000 + i).fill(i));
  const places = runs.map((run) => memory.append(Uint8Array.from(run)));
  const buffers = memory.all(await parking.collect(turns));
  for (const [i, [buffer, start]] of places.entries()) {
    const length = runs[i]?.length ?? 0;
    expect(buffers[buffer]?.subarray(start, start + length)).toEqual(runs[i]);
  }
  expect(await parking.collect(turns)).toEqual([]);
  parking.close();
});

describe("chunks", () => {
  const query = sql`SELECT i::INTEGER, i / 2, CASE WHEN i % 7 > 0 THEN repeat('é', (i * 31 % 40)::INTEGER) || i % 3 END,
    encode('b' || i) FROM range(50000) AS r(i)`;

  it("have every text at its place, long, short, empty and null ones among each other", async () => {
    const wrong: number[] = [];
    let records = 0;
    await store.read(async (session) => {
      for await (const chunk of session.chunks(query)) {
        const integers = chunk.integers(0);
        const { values } = chunk.doubles(1);
        const [texts, bytes] = [stringsOf(chunk, 2), stringsOf(chunk, 3)];
        records += chunk.length;
        for (let i = 0; i < chunk.length; i++) {
          const n = integers[i] ?? 0;
          const expected = n % 7 > 0 ? "é".repeat((n * 31) % 40) + String(n % 3) : null;
          if (texts[i] !== expected || values[i] !== n / 2 || bytes[i] !== `b${n}`) wrong.push(n);
        }
      }
    });
    expect(records).toBe(50_000);
    expect(wrong).toEqual([]);
  });

  it("are empty once the next one was asked for", async () => {
    const left: { chunk: ColumnChunk; integers: Int32Array }[] = [];
    await store.read(async (session) => {
      for await (const chunk of session.chunks(query)) left.push({ chunk, integers: chunk.integers(0) });
    });
    expect(left).toHaveLength(25);
    for (const { chunk, integers } of left) {
      expect(integers).toHaveLength(0);
      expect(() => chunk.integers(0)).toThrow("after the next one");
      expect(() => chunk.texts(2, new TextBuffers())).toThrow("after the next one");
    }
  });

  it("refuse a column of another type, and integers that are null", async () => {
    await store.read(async (session) => {
      for await (const chunk of session.chunks(sql`SELECT NULL::INTEGER AS n, 1::DOUBLE AS d, 'x' AS t`)) {
        expect(() => chunk.integers(0)).toThrow("column 0, n, has a null");
        expect(() => chunk.integers(1)).toThrow("column 1, d, is no INTEGER");
        expect(() => chunk.doubles(2)).toThrow("column 2, t, is no DOUBLE");
        expect(() => chunk.texts(1, new TextBuffers())).toThrow("column 1, d, is no VARCHAR or BLOB");
        expect(() => chunk.doubles(3)).toThrow("column 3");
      }
    });
  });
});
