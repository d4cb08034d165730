import { DUCKDB } from "../../src/duckdb/dialect/dialect.ts";
import { readFileSync } from "node:fs";
import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { computeScore } from "../../src/compile/scores/arithmetic.ts";
import { identifier, join, sql, statement, text as bound, type Sql } from "../../src/store/sql.ts";
import { parseDerivedScores } from "../../src/request/derived-scores.ts";
import { expressions, NAMES, row as scores, type Row } from "./random-expressions.ts";
import { evaluateExpression, type OracleValue } from "./oracle.ts";

const SEED = Number(process.env["SEED"] ?? 606);

let connection: DuckDBConnection;

beforeAll(async () => {
  const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
  connection = await instance.connect();
  await connection.run(readFileSync(new URL("../../sql/duckdb/macros.sql", import.meta.url), "utf8"));
  return () => instance.closeSync();
});

/** The expression on each row, by DuckDB. */
async function computed(expression: string, rows: readonly Row[]): Promise<(number | null)[]> {
  const [score] = await parseDerivedScores([{ name: "t", text: expression }]);
  if (score === undefined || "consensus" in score) throw new Error("no score");
  const columns = join(
    NAMES.map((name) => sql`(v ->> ${bound(`$.${name}`)})::DOUBLE AS ${identifier(name)}`),
    sql`, `,
  );
  const given: Sql = sql`(SELECT (v ->> '$.i')::INTEGER AS i, ${columns}
    FROM (SELECT unnest(${bound(JSON.stringify(rows.map((row, i) => ({ i, ...row }))))}::JSON[]) AS v))`;
  const { from, value } = computeScore(score.expression, given, ({ path: [name = ""] }) => identifier(name));
  const query = statement(sql`SELECT ${value} FROM ${from} ORDER BY i`, DUCKDB);
  const found = await connection.runAndReadAll(
    query.sql,
    query.params.map((one) => one.value),
  );
  return found.getRows().map(([number]) => (typeof number === "number" ? number : null));
}

function expected(expression: string, row: Row): number | null {
  const value = evaluateExpression(expression, ([name = ""]): OracleValue => {
    const given = row[name as keyof Row];
    return given !== null && (name === "yes" || name === "no") ? given === 1 : given;
  });
  return value === null ? null : Number(value);
}

describe(`derived scores in SQL (SEED=${SEED})`, () => {
  it("are what mathjs computes, bit for bit, or missing where it finds no real number", async () => {
    let present = 0;
    await fc.assert(
      fc.asyncProperty(
        expressions,
        fc.array(scores, { minLength: 12, maxLength: 12 }),
        async (text, rows) => {
          const found = await computed(text, rows);
          for (const [i, one] of rows.entries()) {
            const value = expected(text, one);
            if (value !== null) present++;
            expect(found[i] === value, `${text} of ${JSON.stringify(one)}: ${found[i]}, not ${value}`).toBe(
              true,
            );
          }
        },
      ),
      { seed: SEED, numRuns: Number(process.env["RUNS"] ?? 200) },
    );
    expect(present).toBeGreaterThan(500);
  });

  it("are what mathjs computes up to the last digits for exp, log and powers", async () => {
    const inner = fc.constantFrom("a", "b", "a * b", "a / b", "a - b", "-a", "2 * c", "abs(a)");
    const outer = fc.oneof(
      fc.tuple(fc.constantFrom("exp", "log", "sqrt"), inner).map(([name, one]) => `${name}(${one})`),
      fc
        .tuple(inner, fc.oneof(inner, fc.constantFrom("2", "-1", "0.5", "1/3")))
        .map(([x, y]) => `(${x}) ^ (${y})`),
    );
    await fc.assert(
      fc.asyncProperty(outer, fc.array(scores, { minLength: 20, maxLength: 20 }), async (text, rows) => {
        const found = await computed(text, rows);
        for (const [i, one] of rows.entries()) {
          const [number, value] = [found[i] ?? null, expected(text, one)];
          const near =
            number !== null && value !== null && Math.abs(number - value) <= 1e-14 * Math.abs(value) + 5e-324;
          expect(near || number === value, `${text} of ${JSON.stringify(one)}: ${number}, not ${value}`).toBe(
            true,
          );
        }
      }),
      { seed: SEED, numRuns: 150 },
    );
  });

  it("differ from mathjs where one operation is taken for another", async () => {
    const rows: Row[] = [{ a: -2.4, b: 3, c: null, yes: 1, no: 0 }];
    const faults = [
      ["round(a)", "floor(a)"],
      ["a % b", "a - b"],
      ["a < 3", "a <= -2.6"],
      ["yes and c", "yes or no"],
    ] as const;
    for (const [meant, written] of faults) {
      const [one] = rows;
      expect(await computed(written, rows)).not.toEqual([one === undefined ? null : expected(meant, one)]);
    }
  });
});
