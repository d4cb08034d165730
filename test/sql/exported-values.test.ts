import { readFileSync } from "node:fs";
import { tableFromIPC, tableToIPC } from "apache-arrow";
import { parse } from "csv-parse/sync";
import pl from "nodejs-polars";
import { beforeAll, describe, expect, it } from "vitest";
import { openEngine, type Engine, type ExportFormat } from "../../src/index.ts";
import { runOn } from "../support/duckdb.ts";
import { PROJECT } from "../support/records.ts";
import { scratchPath } from "../support/scratch.ts";

let engine: Engine;

beforeAll(async () => {
  engine = await openEngine({ threads: 1 });
  return () => engine.close();
});

async function exported(statement: string, format: ExportFormat): Promise<string> {
  const file = scratchPath(`result.${format}`);
  await engine.exportSql(PROJECT, statement, [], { format, path: file });
  return file;
}

async function json(statement: string): Promise<unknown> {
  const whole: unknown = JSON.parse(readFileSync(await exported(statement, "json"), "utf8"));
  const lines = readFileSync(await exported(statement, "jsonl"), "utf8")
    .trimEnd()
    .split("\n");
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(whole);
  return whole;
}

describe("an export of a statement", () => {
  it("tells the columns in order, with what their values are", async () => {
    const statement = "SELECT 1 AS a, 0.5::double AS b, 'x' AS c, [true] AS d, 1.5 AS e";
    const path = scratchPath("columns.jsonl");
    const { records, columns } = await engine.exportSql(PROJECT, statement, [], { format: "jsonl", path });
    expect(records).toBe(1);
    expect(columns.map(({ name, type }) => `${name} ${type}`)).toEqual([
      "a integer",
      "b float",
      "c text",
      "d list",
      "e decimal",
    ]);
  });
});

/** [a value of SQL, the same in JSON]: numbers that JSON cannot spell, at every depth. */
const NOT_FINITE: readonly (readonly [sql: string, json: unknown])[] = [
  ["'inf'::double", null],
  ["'-inf'::float", null],
  ["'nan'::double", null],
  ["-0.0::double", -0],
  ["1.7976931348623157e308::double", Number.MAX_VALUE],
  ["5e-324::double", 5e-324],
  ["[1.5, 'nan'::double, NULL]", [1.5, null, null]],
  ["[['inf'::double], NULL, []]", [[null], null, []]],
  ["array_value(1.5::double, 'inf'::double)", [1.5, null]],
  [
    "{'a \"b': 'inf'::double, 'c': 'x', 'd': {'e': ['nan'::float]}}",
    { 'a "b': null, c: "x", d: { e: [null] } },
  ],
  ["[{'a': 'inf'::double}, NULL]", [{ a: null }, null]],
  ["map {'a': 1.5::double, 'b': 'inf'::double}", { a: 1.5, b: null }],
  ["map {'a': [{'b': 'nan'::double}]}", { a: [{ b: null }] }],
  ["NULL::double[]", null],
  ["NULL::map(varchar, double)", null],
  ["NULL::struct(a double)", null],
  ["'infinity'::varchar", "infinity"],
];

describe("a result in JSON", () => {
  it.each(NOT_FINITE)("has null for what JSON cannot spell: %s", async (value, expected) => {
    expect(await json(`SELECT ${value} AS v`)).toEqual([{ v: expected }]);
  });

  it("keeps what is nested in CSV as well", async () => {
    const values = NOT_FINITE.filter(([, value]) => typeof value === "object" && value !== null);
    const list = values.map(([value], i) => `${value} AS v${i}`).join(", ");
    const [record = []] = parse(readFileSync(await exported(`SELECT ${list}`, "csv"), "utf8"), {
      from: 2,
    });
    expect(record.map((text) => JSON.parse(text) as unknown)).toEqual(values.map(([, value]) => value));
  });
});

describe("a result in CSV", () => {
  it("has doubles that are read back as they were", async () => {
    const doubles = [2 ** 81, -(2 ** 91), 2 ** 807, 0.1, 1e-7, 1e21, Number.MAX_VALUE, 5e-324, Infinity, NaN];
    const list = doubles.map((double, i) => `'${double}'::double AS v${i}`).join(", ");
    const [record = []] = parse(readFileSync(await exported(`SELECT ${list}`, "csv"), "utf8"), {
      from: 2,
    });
    expect(record.slice(0, -2).map(Number)).toEqual(doubles.slice(0, -2));
    expect(record.slice(-2)).toEqual(["inf", "nan"]);
  });
});

describe("a result in Parquet", () => {
  it("keeps the digits of sums, at every depth", async () => {
    const digits = "12345678901234567890123456789012345678";
    const file = await exported(
      `SELECT sum(i) AS total, list(${digits}::hugeint) AS l, {'a': sum(i)} AS s, map {'a': max(${digits}::hugeint)} AS m
       FROM (SELECT 9007199254740993::hugeint AS i)`,
      "parquet",
    );
    const described = await runOn(":memory:", `SELECT column_type FROM (DESCRIBE FROM '${file}')`);
    expect(described.flat()).toEqual([
      "DECIMAL(38,0)",
      "DECIMAL(38,0)[]",
      "STRUCT(a DECIMAL(38,0))",
      "MAP(VARCHAR, DECIMAL(38,0))",
    ]);
    const columns = ["total", "l[1]", "s.a", "m['a']"].map((column) => `${column}::VARCHAR`).join(", ");
    expect(await runOn(":memory:", `SELECT ${columns} FROM '${file}'`)).toEqual([
      ["9007199254740993", digits, "9007199254740993", digits],
    ]);
  });

  it("is refused an integer that is longer than a decimal", async () => {
    await expect(
      exported("SELECT 170141183460469231731687303715884105727 AS long", "parquet"),
    ).rejects.toThrow("DECIMAL(38,0)");
  });
});

describe("columns of one name", () => {
  const statement = 'SELECT 1 AS a, 2 AS a, 3 AS "A", 4 AS a_1';
  const names = ["a", "a_1", "A_2", "a_1_1"];

  it("have names of their own, the same everywhere", async () => {
    const table = await engine.sql(PROJECT, statement);
    expect(table.schema.fields.map(({ name }) => name)).toEqual(names);
    expect(pl.readIPC(Buffer.from(tableToIPC(table, "file"))).rows()).toEqual([[1, 2, 3, 4]]);
    for await (const batch of engine.sqlBatches(PROJECT, statement)) {
      expect(batch.schema.fields.map(({ name }) => name)).toEqual(names);
    }
    const arrow = tableFromIPC(readFileSync(await exported(statement, "arrow")));
    expect(arrow.schema.fields.map(({ name }) => name)).toEqual(names);
    expect(pl.readParquet(await exported(statement, "parquet")).columns).toEqual(names);
    expect(readFileSync(await exported(statement, "csv"), "utf8")).toBe(
      '"a","a_1","A_2","a_1_1"\r\n1,2,3,4\r\n',
    );
    expect(await json(statement)).toEqual([{ a: 1, a_1: 2, A_2: 3, a_1_1: 4 }]);
  });

  it("leave the order of the records alone", async () => {
    const ordered = "SELECT i, i AS i FROM range(200000) AS t(i) ORDER BY i % 7, i DESC";
    const expected = Array.from({ length: 200_000 }, (_, i) => i).toSorted(
      (a, b) => (a % 7) - (b % 7) || b - a,
    );
    const table = await engine.sql(PROJECT, ordered);
    expect(Array.from((table.getChild("i") ?? []) as Iterable<bigint>, Number)).toEqual(expected);
    expect(
      pl
        .readParquet(await exported(ordered, "parquet"))
        .getColumn("i_1")
        .toArray()
        .map(Number),
    ).toEqual(expected);
  });
});
