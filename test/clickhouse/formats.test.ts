import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openClient } from "../../src/clickhouse/server/client.ts";
import { clickHouseDocument } from "../../src/clickhouse/insert/clickhouse-document.ts";
import { createRowEncoder } from "../../src/clickhouse/insert/row-binary.ts";
import { noClickHouse, scratchDatabase, sharedClickHouse } from "../support/clickhouse-server.ts";
import { because } from "../support/skipped.ts";

describe.skipIf(noClickHouse !== null)(`what is sent to ClickHouse${because(noClickHouse)}`, () => {
  let url: string;
  beforeAll(async () => {
    url = await sharedClickHouse();
  });

  async function open(database: string) {
    const client = await openClient({ url, database });
    onTestFinished(() => client.close());
    return client;
  }

  it("comes back as it was, in blocks of any size", async () => {
    const database = scratchDatabase(url);
    await (await open("system")).run(`CREATE DATABASE ${database}`);
    const client = await open(database);
    await client.run(
      "CREATE TABLE t (i UInt64, s String, n Nullable(Float64), b Bool, z Nullable(Int64)) ENGINE = MergeTree ORDER BY i",
    );
    const texts = ["", "ä\n'\\", "x".repeat(200), "😀".repeat(20_000)];
    const records = Array.from({ length: 5000 }, (_, i) => [
      String(2n ** 64n - 1n - BigInt(i)),
      texts[i % texts.length === 3 && i > 100 ? 0 : i % texts.length],
      i % 3 === 0 ? null : i / 7,
      i % 2 === 0,
      i % 5 === 0 ? null : String(-BigInt(i) * 10n ** 12n),
    ]);
    const column = (at: number) => records.map((record) => record[at] ?? null);
    const bytes = createRowEncoder()(
      [
        { type: "UInt64", values: column(0).map((one) => BigInt(String(one))) },
        { type: "String", values: column(1) },
        { type: "Nullable(Float64)", values: column(2) },
        { type: "Bool", values: column(3) },
        {
          type: "Nullable(Int64)",
          values: column(4).map((one) => (one === null ? null : BigInt(String(one)))),
        },
      ],
      records.length,
    );
    await client.insert("t", ["i", "s", "n", "b", "z"], [bytes.subarray(0, 1000), bytes.subarray(1000)]);
    expect(await client.rows("SELECT * FROM t ORDER BY i DESC")).toEqual(records);
  });

  it.each([
    '{"a":[1,-5,0,0.5,1.25,-0.000001,18446744073709551615,-9223372036854775808]}',
    '{"a":"1e5 and 1.10 in a string","b":true,"c":null,"d":123456.789}',
    '{"1.0":"x\uE000, \\"1.0 \\\\","e":[0.05,100000000000001,-10.05,1.5]}',
    '{"a":[1234567890123456,9007199254740993,0.1234567890123456]}',
  ])("is a document as it was where ClickHouse gives it letter by letter: %s", async (text) => {
    const [found] = await (await open("system")).rows("SELECT JSONExtractRaw({text: String})", { text });
    expect([clickHouseDocument(text), found]).toEqual([null, [text]]);
    expect(clickHouseDocument(Buffer.from(text))).toBeNull();
  });

  it.each([
    ['{"a":1.00}', '{"a":"\uE0001.0"}'],
    ['{"a" : [ 1.0000000000000000001 , -0.000 ]}', '{"a" : [ "\uE0001.0" , "\uE000-0.0" ]}'],
    ['{"a":"\\"","b":7E0}', '{"a":"\\"","b":"\uE0007.0"}'],
    ['{"Ünï \u{1F600}":"\uE000"}', '{"Ünï \u{1F600}":"\uE000\uE000"}'],
    [
      '{"a":[1e5,-0.0,18446744073709551616,1e400,1e21]}',
      '{"a":["\uE000100000.0","\uE000-0.0","\uE00018446744073709551616","\uE0001e400",1e21]}',
    ],
    [
      '{"1.10":"\uE000x","b":"\\ue000","c":"\\"1.10"}',
      '{"1.10":"\uE000\uE000x","b":"\uE000\\ue000","c":"\\"1.10"}',
    ],
  ])(
    "is a document with marked numbers where ClickHouse would spell them otherwise: %s",
    async (text, marked) => {
      expect(clickHouseDocument(text)).toBe(marked);
      expect(clickHouseDocument(Buffer.from(text))).toBe(marked);
      const [found] = await (await open("system")).rows("SELECT isValidJSON({marked: String})", { marked });
      expect(found).toEqual([1]);
    },
  );
});
