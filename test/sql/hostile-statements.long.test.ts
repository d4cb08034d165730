import { BIGINT, BOOLEAN, DOUBLE, DuckDBInstance, VARCHAR, type DuckDBConnection } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine, RequestError, type Engine, type StatementParameters } from "../../src/index.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { plainStatements, refusedStatements } from "./hostile-statements.ts";

let engine: Engine;
let instance: DuckDBInstance;
let connection: DuckDBConnection;

beforeAll(async () => {
  engine = await openEngine({ threads: 1 });
  await engine.ingestCalls([
    root(),
    trial("t1", { q: 1 }, { acc: 0.5 }),
    trial("t2", { q: 2 }, { acc: 1e-7 }),
  ]);
  instance = await DuckDBInstance.create(":memory:");
  connection = await instance.connect();
});
afterAll(async () => {
  await engine.close();
  instance.closeSync();
});

/** Types and texts of all values of a statement. */
function described(statement: string): string {
  return `SELECT typeof(COLUMNS(*)), COLUMNS(*)::VARCHAR FROM (${statement.replace(/;$/, "")}\n)`;
}

async function answered(statement: string, params: StatementParameters): Promise<unknown[][]> {
  const table = await engine.sql(PROJECT, statement, params);
  return table.toArray().map((row: { toJSON: () => object }) => Object.values(row.toJSON()));
}

/** DuckDB's own answer, with values bound as the engine binds them. */
async function direct(statement: string, params: StatementParameters): Promise<unknown[][]> {
  const values = Object.entries(params).map(([name, value]) => [name, bound(value)] as const);
  const given = Object.fromEntries(values.map(([name, { value }]) => [name, value]));
  const types = Object.fromEntries(values.map(([name, { type }]) => [name, type]));
  const read = Array.isArray(params)
    ? await connection.runAndReadAll(statement, Object.values(given), Object.values(types))
    : await connection.runAndReadAll(statement, given, types);
  return read.getRows();
}

function bound(value: null | boolean | number | bigint | string) {
  if (typeof value === "boolean") return { value, type: BOOLEAN };
  if (typeof value === "bigint") return { value, type: BIGINT };
  if (typeof value !== "number") return { value, type: VARCHAR };
  if (!Number.isSafeInteger(value) || Object.is(value, -0)) return { value, type: DOUBLE };
  return { value: BigInt(value), type: BIGINT };
}

describe("a hostile statement", () => {
  it.each(plainStatements.map((one, i) => [i, ...one] as const))(
    "has the values and types that DuckDB gives it: %i",
    async (_i, statement, params = []) => {
      const expected = await direct(described(statement), params);
      expect(expected.length).toBeGreaterThan(0);
      expect(await answered(described(statement), params)).toEqual(expected);
    },
  );

  it.each(plainStatements.map((one, i) => [i, ...one] as const))(
    "is answered beside the views, and from them: %i",
    async (_i, statement, params = []) => {
      const joined = `SELECT (SELECT count(*) FROM trials) AS n, (SELECT count(*) FROM (${statement.replace(/;$/, "")}\n)) AS m, sum(numeric_value) AS s FROM scores`;
      const [[trials, records, sum] = []] = await answered(joined, params);
      expect([trials, sum]).toEqual([2n, 0.5000001]);
      expect(records).toBeGreaterThan(0n);
    },
  );

  it.each(refusedStatements)("is refused: %s", async (statement, params = [], said) => {
    const failed = engine.sql(PROJECT, statement, params);
    await expect(failed).rejects.toBeInstanceOf(RequestError);
    await expect(failed).rejects.toThrow(said);
  });
});
