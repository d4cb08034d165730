import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore } from "../../src/duckdb/store.ts";
import { createBufferPool, buffersOf, packColumns } from "../../src/duckdb/load-thread/pack-columns.ts";
import type { Column, FileStore, PackedColumn } from "../../src/store/session.ts";
import { sql, type SqlType } from "../../src/store/sql.ts";

let store: FileStore;
beforeAll(async () => {
  store = await openStore({ path: ":memory:", readOnly: false, threads: 2, memoryLimit: null });
});
afterAll(() => store.close());

type Rows = Promise<readonly (readonly unknown[])[]>;

const load =
  (form: (columns: readonly Column[]) => readonly (Column | PackedColumn)[]) =>
  (columns: readonly Column[]): Rows =>
    store.write(async (session) => {
      session.load("values", form(columns));
      return session.rows(sql`SELECT * FROM loaded('values')`);
    });

const pool = createBufferPool();

/** Uses the buffers of earlier columns again, with what is left in them. */
function packed(columns: readonly Column[]): PackedColumn[] {
  const made = packColumns(columns, pool);
  pool.giveBack(buffersOf(packColumns(columns, pool).map(({ values }) => values)));
  return made;
}

const VALUES: [SqlType, Column["values"]][] = [
  ["INTEGER", [0, -(2 ** 31), null, 2 ** 31 - 1]],
  ["BIGINT", [0n, -(2n ** 63n), null, 2n ** 63n - 1n]],
  ["UBIGINT", [0n, 2n ** 64n - 1n, null, 1n]],
  ["UTINYINT", [0, 255, null, 7]],
  ["DOUBLE", [0, -1.5, null, 1e308]],
  ["BOOLEAN", [true, false, null, true]],
  ["VARCHAR", ["", "a\0b\0", null, "é\u{1F600}\n"]],
];

describe.each([
  ["columns that are loaded", load((columns) => columns)],
  ["columns that are loaded as they lie in memory", load(packed)],
] as const)("%s", (_form, loaded) => {
  it.each(VALUES)("hold every %s as it was given", async (type, values) => {
    const rows = await loaded([{ name: "value", type, values }]);
    expect(rows.map(([value]) => value)).toEqual(Array.from(values));
  });

  it("may hold texts as bytes and as strings, side by side", async () => {
    const texts = ["plain", "é\u{1F600}", "with\0nul", "x".repeat(5000), ""];
    const values = texts.flatMap((text) => [text, new TextEncoder().encode(text)]);
    const rows = await loaded([{ name: "value", type: "VARCHAR", values }]);
    expect(rows.map(([value]) => value)).toEqual(texts.flatMap((text) => [text, text]));
  });

  it("stay side by side over many chunks, nulls included", async () => {
    const count = 10_000;
    const numbers = Array.from({ length: count }, (_, i) => (i % 7 === 3 ? null : i));
    const texts = Array.from({ length: count }, (_, i) => (i % 5 === 4 ? null : `text ${i}`));
    const rows = await loaded([
      { name: "number", type: "INTEGER", values: numbers },
      { name: "words", type: "VARCHAR", values: texts },
    ]);
    expect(rows).toEqual(numbers.map((number, i) => [number, texts[i]]));
  });

  it.each([
    ["INTEGER", 2 ** 31],
    ["INTEGER", 0.5],
    ["UTINYINT", 256],
    ["UTINYINT", -1],
  ] as const)("refuse a number that is no %s: %d", async (type, value) => {
    await expect(loaded([{ name: "value", type, values: [value] }])).rejects.toThrow(/is no integer from/);
    expect(await loaded([{ name: "value", type, values: [1] }])).toEqual([[1]]);
  });
});
