import { DUCKDB } from "../../src/duckdb/dialect/dialect.ts";
import { describe, expect, it } from "vitest";
import { wide } from "../../src/compile/relations/spelled.ts";
import { openStore } from "../../src/duckdb/store.ts";
import {
  column,
  mapped,
  nullable,
  query,
  select,
  together,
  unionAll,
  type Query,
} from "../../src/store/query.ts";
import { integer, sql, statement, type Sql } from "../../src/store/sql.ts";

async function ask<Row>(asked: Query<Row>): Promise<readonly Row[]> {
  const store = await openStore({ path: ":memory:", readOnly: false, threads: 1, memoryLimit: null });
  try {
    return await store.read((session) => session.all(asked));
  } finally {
    await store.close();
  }
}

const NUMBERS = { n: column.integer(sql`n`), half: nullable(column.double(sql`n / 2 AS half`)) };

describe("a query", () => {
  it("reads each record by the columns that it selects", async () => {
    const columns = {
      key: column.integer(sql`7::BIGINT`),
      sum: column.bigint(sql`sum(n::HUGEINT) << 60`),
      size: column.bigint(sql`1`),
      mean: column.double(sql`avg(n)`),
      some: column.boolean(sql`bool_or(n > 2)`),
      name: column.text(sql`'naïve'`),
      none: nullable(column.text(sql`NULL::VARCHAR`)),
    };
    expect(await ask(query("one", select(columns, sql` FROM range(4) AS r(n)`)))).toEqual([
      { key: 7, sum: 6n << 60n, size: 1n, mean: 1.5, some: true, name: "naïve", none: null },
    ]);
  });

  it("is spelled by the dialect of its database, values in the order of their places", () => {
    const dialect = {
      ...DUCKDB,
      parameter: (n: number) => `{p${n}}`,
      wide: (x: Sql) => sql`wide(${x}, ${integer(2)})`,
    };
    const asked = sql`SELECT ${integer(1)}, ${wide(sql`n + ${wide(sql`${integer(3)}`)}`)}, ${integer(4)}`;
    expect(statement(asked, dialect)).toEqual({
      sql: "SELECT {p1}, wide(n + wide({p2}, {p3}), {p4}), {p5}",
      params: [1, 3, 2, 2, 4].map((value) => ({ type: "INTEGER", value })),
    });
  });

  it("may be made of several selections, with something around them", async () => {
    const both = unionAll([
      select(NUMBERS, sql` FROM few`),
      select({ n: column.integer(sql`9`), half: nullable(column.double(sql`NULL`)) }, sql``),
    ]);
    const few = sql`WITH few AS (SELECT unnest([3, 1]) AS n) SELECT * FROM (${both.sql}) ORDER BY 1`;
    expect(statement(both.sql, DUCKDB).sql).toBe("SELECT n, n / 2 AS half FROM few UNION ALL SELECT 9, NULL");
    expect(await ask(query("both", both, few))).toEqual([
      { n: 1, half: 0.5 },
      { n: 3, half: 1.5 },
      { n: 9, half: null },
    ]);
  });

  it("may read several columns as one value", async () => {
    const range = together({
      least: column.integer(sql`min(n)`),
      most: nullable(column.integer(sql`max(n)`)),
    });
    const counted = select({ range, count: column.integer(sql`count(*)`) }, sql` FROM range(5) AS r(n)`);
    const size = mapped(counted, ({ range: { least, most }, count }) => [(most ?? 0) - least, count]);
    expect(await ask(query("size", size))).toEqual([[4, 5]]);
  });

  it.each([
    ["total is not an integer but object null", { total: column.integer(sql`NULL`) }],
    ["total is not a text but number 1", { total: nullable(column.text(sql`1`)) }],
    ["total is not a double but bigint 1", { total: column.double(sql`1::BIGINT`) }],
    ["total is not a bigint but string x", { total: column.bigint(sql`'x'`) }],
    ["total is not a boolean but number 2", { total: column.boolean(sql`2`) }],
  ])("refuses a value of another type: %s", async (message, columns) => {
    await expect(ask(query("odd", select<object>(columns, sql``)))).rejects.toThrow(new TypeError(message));
  });

  it("refuses records of another select list, and a union of nothing", () => {
    expect(() => select(NUMBERS, sql``).read([1])).toThrow("a record of another select list");
    expect(() => unionAll([])).toThrow("a union of no selection");
  });
});
