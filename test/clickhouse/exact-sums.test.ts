import { createClient } from "@clickhouse/client";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CLICKHOUSE } from "../../src/clickhouse/dialect/dialect.ts";
import { QUERY_SETTINGS } from "../../src/clickhouse/read/session.ts";
import { FUNCTIONS } from "../../src/clickhouse/dialect/functions.ts";
import { exactSum, median } from "../../src/compile/relations/spelled.ts";
import { sql, statement, type Sql } from "../../src/store/sql.ts";
import { roundedSum } from "../oracle/mean.ts";
import { noClickHouse, sharedClickHouse } from "../support/clickhouse-server.ts";
import { anyFinite } from "../support/numbers.ts";
import { because } from "../support/skipped.ts";

const SEED = Number(process.env["SEED"] ?? 404);

/** The records of a statement with the functions that evalcube brings. */
async function ask(query: Sql): Promise<unknown[][]> {
  const client = createClient({ url: await sharedClickHouse() });
  try {
    const result = await client.query({
      query: `WITH ${FUNCTIONS.join()} ${statement(query, CLICKHOUSE).sql}`,
      format: "JSONCompactEachRow",
      clickhouse_settings: QUERY_SETTINGS,
    });
    return await result.json<unknown[]>();
  } finally {
    await client.close();
  }
}

function sampledPairs(): number[][] {
  const latency = fc.double({ min: 0, max: 2 ** 53, noNaN: true });
  return fc.sample(fc.tuple(latency, latency), { seed: SEED, numRuns: 200 });
}

function written(text: string): Sql {
  return { parts: [text], holes: [] };
}

describe.skipIf(noClickHouse !== null)(`on ClickHouse (SEED=${SEED})${because(noClickHouse)}`, () => {
  it("sums of doubles are exact and rounded once", async () => {
    const lists = fc
      .array(anyFinite, { minLength: 1, maxLength: 7 })
      .map((list) => [...list, ...list.slice(0, 2).map((number) => -number)]);
    const chosen = [
      [1e100, 3, -1e100],
      [0.1, 0.2, 0.3, 1e16, -1e16],
      [-(2 ** 53), -1, 2 ** -1000],
      [0, 0, 0],
      [
        2, 1.82177734375, 1.68603515625, 0.5, 0.50390625, 2, 6.499999999999999, 0.9892578125, 2.5009765625,
        1.5, 1.5, 1.25, 1.9775390625, -0.75, 2, 1.6, 1.55, 2.7490234375, 0.5, 2e-323, 0.55,
        -3.4402729502894916e-256, -5, 1.50244140625, 2.01806640625, 2.50341796875,
      ],
    ];
    const samples = [...chosen, ...fc.sample(lists, { seed: SEED, numRuns: 300 })].filter((list) =>
      Number.isFinite(roundedSum(list)),
    );
    const records = samples.flatMap((list, i) => list.map((number) => `(${i}, '${number.toExponential()}')`));
    const found = await ask(sql`SELECT ${exactSum(sql`x`)} FROM (SELECT i, CAST(s AS Float64) AS x
      FROM (SELECT arrayJoin([${written(records.join())}]) AS r, r.1 AS i, r.2 AS s)) GROUP BY i ORDER BY i`);
    expect(samples.filter((list, i) => found[i]?.[0] !== roundedSum(list))).toEqual([]);
  });

  it("the median of two numbers is half of each, rounded once", async () => {
    const pairs = [[2 ** 53 - 1, 2], [1, 2 ** 53 - 2], [0.1, 0.3], ...sampledPairs()];
    const records = pairs.flatMap((pair, i) => pair.map((number) => `(${i}, '${number.toExponential()}')`));
    const found = await ask(sql`SELECT ${median(sql`x`)} FROM (SELECT i, CAST(s AS Float64) AS x
      FROM (SELECT arrayJoin([${written(records.join())}]) AS r, r.1 AS i, r.2 AS s)) GROUP BY i ORDER BY i`);
    expect(found.map(([one]) => one)).toEqual(pairs.map(([a = 0, b = 0]) => a * 0.5 + b * 0.5));
  });

  it("numbers are spelled as String does", async () => {
    const numbers = fc.sample(anyFinite, { seed: SEED, numRuns: 2000 });
    const found = await ask(
      sql`SELECT number_text(toFloat64(arrayJoin([${written(numbers.map((number) => `'${number.toExponential()}'`).join())}])))`,
    );
    expect(numbers.filter((number, i) => found[i]?.[0] !== String(number))).toEqual([]);
  });
});
