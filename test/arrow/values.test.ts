import * as arrow from "apache-arrow";
import { Map_ as MapType } from "apache-arrow";
import { describe, expect, it } from "vitest";
import { jsonReader } from "../../src/arrow/decode/json-texts.ts";
import { checkBuffers } from "../../src/arrow/decode/check-buffers.ts";
import { readBatches } from "../../src/arrow/ipc/batches.ts";
import { readParts } from "../../src/arrow/ipc/messages.ts";
import { bytesInMemory } from "../../src/arrow/ipc/byte-reader.ts";
import { field, tableOf, UTF8 } from "./table.ts";

const INT = new arrow.Int32();
const DAY = Date.UTC(2026, 0, 31);
const json = { "ARROW:extension:name": "arrow.json" };
const ints = (...items: number[]) => new Int32Array(items);
const list = (item: arrow.DataType) => new arrow.List(field("item", item));
const struct = (...members: arrow.Field[]) => new arrow.Struct(members);
const mapOf = (key: arrow.DataType, value: arrow.DataType) =>
  new MapType(new arrow.Field("entries", struct(field("key", key), field("value", value)), false));

/** Type, values as apache-arrow takes them, and what they are in JSON. */
const CASES: readonly (readonly [arrow.DataType, readonly unknown[], string])[] = [
  [new arrow.Null(), [null, null], "[null,null]"],
  [new arrow.Bool(), [true, null, false], "[true,null,false]"],
  [new arrow.Int8(), [-128, null], "[-128,null]"],
  [new arrow.Uint32(), [4294967295], "[4294967295]"],
  [new arrow.Int64(), [-9223372036854775808n, null, 5n], "[-9223372036854775808,null,5]"],
  [new arrow.Uint64(), [18446744073709551615n], "[18446744073709551615]"],
  [new arrow.Float64(), [0.1, 1e300, -0, 1e20], "[0.1,1e+300,0,100000000000000000000]"],
  [new arrow.Float32(), [0.5, null], "[0.5,null]"],
  [new arrow.Float16(), [0.5, 65504, -(2 ** -24)], "[0.5,65504,-5.960464477539063e-8]"],
  [UTF8, ['a"\n', null, "é漢😀", "", "\u2028\uFFFD\0"], '["a\\"\\n",null,"é漢😀","","\u2028\uFFFD\\u0000"]'],
  [new arrow.LargeUtf8(), ["a", null], '["a",null]'],
  [
    new arrow.Utf8View(),
    ["short", null, "longer than twelve bytes"],
    '["short",null,"longer than twelve bytes"]',
  ],
  [new arrow.Binary(), [Uint8Array.of(1, 2, 255), null], '["AQL/",null]'],
  [new arrow.LargeBinary(), [Uint8Array.of()], '[""]'],
  [new arrow.BinaryView(), [Uint8Array.of(1), null], '["AQ==",null]'],
  [new arrow.FixedSizeBinary(2), [Uint8Array.of(1, 2), null], '["AQI=",null]'],
  [new arrow.DateDay(), [new Date(DAY), null, new Date(0)], '["2026-01-31",null,"1970-01-01"]'],
  [
    new arrow.DateMillisecond(),
    [new Date(DAY), new Date(DAY + 7)],
    '["2026-01-31","2026-01-31T00:00:00.007Z"]',
  ],
  [new arrow.TimestampSecond(), [-1000], '["1969-12-31T23:59:59"]'],
  [new arrow.TimestampMillisecond(), [DAY + 1, null], '["2026-01-31T00:00:00.001",null]'],
  [new arrow.Timestamp(arrow.TimeUnit.MICROSECOND, "Asia/Kolkata"), [DAY], '["2026-01-31T00:00:00.000000Z"]'],
  [new arrow.TimestampNanosecond(), [-1], '["1969-12-31T23:59:59.999000000"]'],
  [new arrow.TimeSecond(), [86_399], '["23:59:59"]'],
  [new arrow.TimeMicrosecond(), [1_500_000n, null], '["00:00:01.500000",null]'],
  [
    new arrow.DurationMillisecond(),
    [-1500n, 1500n, -500n, -1000n],
    '["PT-1.500S","PT1.500S","PT-0.500S","PT-1.000S"]',
  ],
  [new arrow.IntervalYearMonth(), [ints(1, 2)], '["P14M"]'],
  [new arrow.IntervalDayTime(), [ints(1, -1500)], '["P1DT-1.500S"]'],
  [new arrow.IntervalMonthDayNano(), [ints(1, 2, 1_500_000_000, 0)], '["P1M2DT1.500000000S"]'],
  [new arrow.List(field("item", INT)), [[1, null], null, []], "[[1,null],null,[]]"],
  [new arrow.LargeList(field("item", UTF8)), [["a"], []], '[["a"],[]]'],
  [new arrow.FixedSizeList(2, field("item", INT)), [[1, 2], null, [3, null]], "[[1,2],null,[3,null]]"],
  [
    struct(field("b", INT), field("a", UTF8)),
    [{ b: 1, a: "x" }, null, { b: null, a: "y" }],
    '[{"b":1,"a":"x"},null,{"b":null,"a":"y"}]',
  ],
  [struct(), [{}, null], "[{},null]"],
  [
    struct(field('q"', UTF8, json)),
    [{ 'q"': '{"n":[1.0, 12345678901234567890]}' }],
    '[{"q\\"":{"n":[1.0, 12345678901234567890]}}]',
  ],
  [
    mapOf(UTF8, INT),
    [
      new Map([
        ["x", 1],
        ["y", null],
      ]),
      null,
      new Map(),
    ],
    '[{"x":1,"y":null},null,{}]',
  ],
  [
    mapOf(INT, new arrow.Bool()),
    [
      new Map([
        [5, true],
        [-6, false],
      ]),
    ],
    '[{"5":true,"-6":false}]',
  ],
  [mapOf(new arrow.DateDay(), INT), [new Map([[new Date(DAY), 1]])], '[{"2026-01-31":1}]'],
  [new arrow.Dictionary(UTF8, new arrow.Uint8()), ["a", "b", null, "a"], '["a","b",null,"a"]'],
  [
    new arrow.List(field("item", new arrow.Dictionary(UTF8, INT))),
    [["a"], ["b", "a", null]],
    '[["a"],["b","a",null]]',
  ],
];

/** The values of the column `x`, as one JSON list. */
async function readAll(bytes: Uint8Array, x: arrow.Field): Promise<string> {
  const texts: string[] = [];
  for await (const { columns, length } of readBatches(readParts(bytesInMemory(bytes)))) {
    const [data] = columns;
    if (data !== undefined) texts.push(...textsOf(data, x).slice(0, length));
  }
  return `[${texts.join(",")}]`;
}

function textsOf(data: arrow.Data, x: arrow.Field): string[] {
  checkBuffers(data, "x");
  const read = jsonReader(data, x);
  return Array.from({ length: data.length }, (_, i) => read(i));
}

describe("a value in Arrow becomes JSON", () => {
  it.each(CASES.map(([type, values, text]) => [text, type, values] as const))(
    "%s",
    async (text, type, values) => {
      const x = field("x", type);
      const table = tableOf({ x: [type, values] });
      const [data] = table.batches[0]?.data.children ?? [];
      expect(data && `[${textsOf(data, x).join(",")}]`).toBe(text);
      expect(await readAll(arrow.tableToIPC(table, "stream"), x)).toBe(text);
      expect(await readAll(arrow.tableToIPC(table, "file"), x)).toBe(text);
      const [sliced] = table.slice(1).batches[0]?.data.children ?? [];
      const rest = sliced === undefined ? [] : textsOf(sliced, x);
      expect(rest).toEqual(data && textsOf(data, x).slice(1));
    },
  );

  it.each([
    [38, 2, [150n, -7n, 0n, -(10n ** 37n)], `[1.50,-0.07,0.00,-1${"0".repeat(35)}.00]`],
    [18, 0, [10n ** 17n, -1n], "[100000000000000000,-1]"],
    [5, -3, [12n], "[12000]"],
    [76, 70, [10n ** 75n], `[100000.${"0".repeat(70)}]`],
  ])("a decimal of %i digits, %i of them behind the point", async (precision, scale, values, text) => {
    const bits = precision > 38 ? 256 : 128;
    const words = values.flatMap((value) =>
      Array.from({ length: bits / 32 }, (_, k) => Number(BigInt.asUintN(32, value >> BigInt(32 * k)))),
    );
    const type = new arrow.Decimal(scale, precision, bits);
    const data = arrow.makeData({ type, length: values.length, nullCount: 0, data: Uint32Array.from(words) });
    expect(`[${textsOf(data, field("x", type)).join(",")}]`).toBe(text);
  });

  it.each([
    ["sparse", arrow.UnionMode.Sparse, undefined],
    ["dense", arrow.UnionMode.Dense, Int32Array.of(0, 0, 1, 1)],
  ])("a %s union is what its member is", (_name, mode, valueOffsets) => {
    const type = new arrow.Union(mode, [5, 9], [field("n", INT), field("s", UTF8)]);
    const dense = valueOffsets !== undefined;
    const children = [
      arrow.vectorFromArray(dense ? [1, null] : [1, 0, null, 0], INT).data[0],
      arrow.vectorFromArray(dense ? ["x", "y"] : ["", "x", "", "y"], UTF8).data[0],
    ].filter((child) => child !== undefined);
    const typeIds = Int8Array.of(5, 9, 5, 9);
    const data = new arrow.Data<arrow.DataType>(type, 0, 4, 0, { 0: valueOffsets, 3: typeIds }, children);
    expect(textsOf(data, field("x", type))).toEqual(["1", '"x"', "null", '"y"']);
    expect(textsOf(data.slice(1, 2), field("x", type))).toEqual(['"x"', "null"]);
  });

  it("a UUID is spelled as one", () => {
    const type = new arrow.FixedSizeBinary(16);
    const [data] = arrow.vectorFromArray([Buffer.from("61f0c4045cb311e7907ba6006ad3dba0", "hex")], type).data;
    const x = field("x", type, { "ARROW:extension:name": "arrow.uuid" });
    expect(data && textsOf(data, x)).toEqual(['"61f0c404-5cb3-11e7-907b-a6006ad3dba0"']);
  });
});

describe("a value that JSON has not is refused", () => {
  it.each<[string, arrow.DataType, unknown, readonly (string | number)[], RegExp]>([
    ["NaN", new arrow.Float64(), Number.NaN, [], /NaN is not a JSON number/],
    ["an infinity inside a list", list(new arrow.Float32()), [1, Infinity], [1], /not a JSON number/],
    [
      "deep inside",
      struct(field("a", list(struct(field("b", new arrow.Float64()))))),
      { a: [{ b: 1 }, { b: NaN }] },
      ["a", 1, "b"],
      /NaN/,
    ],
    ["under a key of a map", mapOf(UTF8, new arrow.Float64()), new Map([["k", NaN]]), ["k"], /NaN/],
    ["a time beyond the calendar", new arrow.TimestampSecond(), 1e17, [], /beyond the dates/],
    ["a time of no day", new arrow.TimeSecond(), 86_400, [], /no time of a day/],
    ["JSON that is none", struct(field("j", UTF8, json)), { j: "{" }, ["j"], /is not JSON/],
  ])("%s", (_name, type, value, path, reason) => {
    const [data] = arrow.vectorFromArray([value], type).data;
    let error: unknown;
    try {
      if (data !== undefined) textsOf(data, field("x", type));
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({ path });
    expect(String(error)).toMatch(reason);
  });
});
