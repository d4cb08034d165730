import { tableFromIPC, tableToIPC, Table, type RecordBatch } from "apache-arrow";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { encodeBatch } from "../../src/arrow/encode/batch.ts";
import { encodeSchema } from "../../src/arrow/encode/types.ts";
import { openStore } from "../../src/duckdb/store.ts";
import type { Store } from "../../src/store/session.ts";

let store: Store;

beforeAll(async () => {
  store = await openStore({ path: ":memory:", readOnly: false, threads: 2, memoryLimit: null });
});
afterAll(() => store.close());

/** The result of a statement as an Arrow table that has been written and read again. */
async function arrow(statement: string): Promise<Table> {
  return store.read(async (session) => {
    const { fields, batches } = await session.vectors({ sql: statement, params: [] });
    const schema = encodeSchema(fields);
    const encoded: RecordBatch[] = [];
    for await (const batch of batches) encoded.push(encodeBatch(schema, batch));
    return tableFromIPC(tableToIPC(new Table(schema, encoded), "file"));
  });
}

async function one(expression: string): Promise<{ type: string; text: string }> {
  const table = await arrow(`SELECT ${expression} AS x`);
  return { type: String(table.schema.fields[0]?.type), text: JSON.stringify(table.toArray()[0], bigints) };
}

function bigints(_name: string, value: unknown): unknown {
  if (typeof value === "bigint") return `${value}n`;
  return ArrayBuffer.isView(value) ? [...(value as Uint8Array)] : value;
}

describe("a type of DuckDB", () => {
  it.each([
    ["(-8)::TINYINT", "Int8", -8],
    ["255::UTINYINT", "Uint8", 255],
    ["(-32768)::SMALLINT", "Int16", -32768],
    ["65535::USMALLINT", "Uint16", 65535],
    ["2147483647", "Int32", 2147483647],
    ["4294967295::UINTEGER", "Uint32", 4294967295],
    ["(-9223372036854775808)::BIGINT", "Int64", "-9223372036854775808n"],
    ["18446744073709551615::UBIGINT", "Uint64", "18446744073709551615n"],
    ["1.5::FLOAT", "Float32", 1.5],
    ["0.1::DOUBLE", "Float64", 0.1],
    ["true", "Bool", true],
    ["'twelve chars'", "Utf8", "twelve chars"],
    ["'thirteen char'", "Utf8", "thirteen char"],
    ["'a' || chr(0) || 'zero in between it'", "Utf8", "a\u0000zero in between it"],
    ["'{\"a\": 1}'::JSON", "Utf8", '{"a": 1}'],
    ["'\\x00\\xFF'::BLOB", "Binary", [0, 255]],
    ["'b'::ENUM ('a', 'b')", "Utf8", "b"],
    ["'00112233-4455-6677-8899-aabbccddeeff'::UUID", "Utf8", "00112233-4455-6677-8899-aabbccddeeff"],
    ["'0101'::BIT", "Utf8", "0101"],
    ["'12:00:00+02'::TIMETZ", "Utf8", "12:00:00+02"],
    [
      "'12345678901234567890123456789012345678901234567890'::BIGNUM",
      "Utf8",
      "12345678901234567890123456789012345678901234567890",
    ],
    ["'12:34:56.789'::TIME", "Time64<MICROSECOND>", "45296789000n"],
    ["[1, NULL, 3]", "List<Int32>", [1, null, 3]],
    ["[]::VARCHAR[]", "List<Utf8>", []],
    ["[['a text of some length'], NULL, []]", "List<List<Utf8>>", [["a text of some length"], null, []]],
    ["[1, 2]::INTEGER[2]", "FixedSizeList[2]<Int32>", [1, 2]],
    ["{'a': 1, 'b': {'c': 'x'}}", "Struct<{a:Int32, b:Struct<{c:Utf8}>}>", { a: 1, b: { c: "x" } }],
    ["MAP {'k': [1], 'l': NULL}", "Map<{key:Utf8, value:List<Int32>}>", { k: [1], l: null }],
    ["NULL", "Int32", null],
  ])("%s is the same value in Arrow", async (expression, type, value) => {
    expect(await one(expression)).toEqual({ type, text: JSON.stringify({ x: value }) });
  });

  it.each([
    ["170141183460469231731687303715884105::HUGEINT", 0, "170141183460469231731687303715884105"],
    ["(-5)::HUGEINT", 0, "-5"],
    ["sum(i) FROM range(10) AS t(i)", 0, "45"],
    ["(-1.25)::DECIMAL(4, 2)", 2, "-125"],
    ["(-1.25)::DECIMAL(9, 3)", 3, "-1250"],
    ["1234567890123456.78::DECIMAL(18, 2)", 2, "123456789012345678"],
    ["(-12345678901234567890.12)::DECIMAL(38, 2)", 2, "-1234567890123456789012"],
  ])("%s is an exact decimal", async (expression, scale, digits) => {
    const table = await arrow(`SELECT ${expression.replace(" FROM", " AS x FROM")}`);
    const words = table.getChildAt(0)?.get(0) as Uint32Array;
    const value = words.reduceRight((sum, word) => (sum << 32n) | BigInt(word), 0n);
    expect(String(BigInt.asIntN(128, value))).toBe(digits);
    expect(table.schema.fields[0]?.type).toMatchObject({ scale, bitWidth: 128 });
  });

  it.each([
    ["'infinity'::DATE", "an infinite date"],
    ["'-infinity'::TIMESTAMP", "an infinite timestamp"],
    ["170141183460469231731687303715884105727::HUGEINT", "more than 38 digits"],
    ["340282366920938463463374607431768211455::UHUGEINT", "more than 38 digits"],
    ["to_years(300) + to_microseconds(9223372036854775807)", "more than 292 years"],
    ["union_value(k := 1)", 'column "x" is of type UNION'],
  ])("%s is refused in clear words", async (expression, message) => {
    await expect(one(expression)).rejects.toThrow(message);
  });

  it("keeps a byte order mark, which apache-arrow drops when it decodes a text", async () => {
    const table = await arrow("SELECT chr(65279) || 'begins with a mark' AS x");
    const bytes = table.getChildAt(0)?.data[0]?.values as Uint8Array;
    expect([...bytes.subarray(0, 4)]).toEqual([0xef, 0xbb, 0xbf, 0x62]);
  });

  it("keeps dates, instants and intervals", async () => {
    const table = await arrow(`SELECT DATE '1969-12-31' AS d, TIMESTAMP '2026-01-02 03:04:05.678901' AS t,
      TIMESTAMPTZ '2026-01-02 03:04:05+02' AS z, INTERVAL '14 months 3 days 4.5 seconds' AS i`);
    const raw = (i: number) => table.getChildAt(i)?.data[0]?.values as ArrayLike<unknown>;
    expect(raw(0)[0]).toBe(-1);
    expect(raw(1)[0]).toBe(1767323045678901n);
    expect(raw(2)[0]).toBe(BigInt(Date.UTC(2026, 0, 2, 1, 4, 5)) * 1000n);
    expect([...new Int32Array((raw(3) as Int32Array).slice(0, 2))]).toEqual([14, 3]);
    expect(new BigInt64Array((raw(3) as Int32Array).slice(2, 4).buffer)[0]).toBe(4_500_000_000n);
    expect(table.schema.fields.map(({ type }) => String(type))).toEqual([
      "Date32<DAY>",
      "Timestamp<MICROSECOND>",
      "Timestamp<MICROSECOND, UTC>",
      "Interval<MONTH_DAY_NANO>",
    ]);
  });
});

describe("a long result", () => {
  it("has every value at its place, nulls and nested ones too", async () => {
    const table = await arrow(`SELECT i::INTEGER AS i, CASE WHEN i % 3 > 0 THEN i END AS n, i % 2 = 0 AS b,
      CASE WHEN i % 5 > 0 THEN repeat('é', (i % 20)::INTEGER) || i END AS t,
      CASE WHEN i % 7 > 0 THEN list_transform(range(i % 4), lambda x: 'item number ' || (x + i)) END AS l,
      CASE WHEN i % 11 > 0 THEN {'s': i::VARCHAR || ' is the number', 'h': i / 2} END AS s FROM range(150000) AS r(i)`);
    expect(table.numRows).toBe(150_000);
    const wrong: unknown[] = [];
    const column = (name: string) => table.getChild(name);
    const [is, ns, bs, ts, ls, ss] = ["i", "n", "b", "t", "l", "s"].map(column);
    for (let i = 0; i < table.numRows; i++) {
      const list = ls?.get(i) as Iterable<string> | null;
      const struct = ss?.get(i) as { s: string; h: number } | null;
      const found = [is?.get(i), ns?.get(i), bs?.get(i), ts?.get(i), list && [...list], struct?.s, struct?.h];
      const wanted = [
        i,
        i % 3 > 0 ? BigInt(i) : null,
        i % 2 === 0,
        i % 5 > 0 ? "é".repeat(i % 20) + String(i) : null,
        i % 7 > 0 ? Array.from({ length: i % 4 }, (_, x) => `item number ${x + i}`) : null,
        i % 11 > 0 ? `${i} is the number` : undefined,
        i % 11 > 0 ? i / 2 : undefined,
      ];
      if (JSON.stringify(found, bigints) !== JSON.stringify(wanted, bigints))
        wrong.push({ i, found, wanted });
    }
    expect(wrong.slice(0, 3)).toEqual([]);
  });

  it("has nothing below its nulls", async () => {
    const table = await arrow(
      `SELECT CASE WHEN i % 2 = 0 THEN i + 0.5::DOUBLE END AS x FROM range(5000) AS t(i)`,
    );
    const values = table.getChildAt(0)?.data.flatMap((data) => [...(data.values as Float64Array)]) ?? [];
    expect(values.filter((_, i) => i % 2 === 1).every((value) => value === 0)).toBe(true);
  });
});
