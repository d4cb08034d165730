import { readFileSync } from "node:fs";
import { DuckDBInstance } from "@duckdb/node-api";
import { onTestFinished } from "vitest";

const MACROS = new URL("../../sql/duckdb/macros.sql", import.meta.url);

/** A function that answers a query with the macros at hand: an array of records. */
export async function macroDatabase(): Promise<(query: string) => Promise<unknown[][]>> {
  const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
  onTestFinished(() => instance.closeSync());
  const connection = await instance.connect();
  await connection.run(readFileSync(MACROS, "utf8"));
  return async (query) => (await connection.runAndReadAll(query)).getRows();
}

/** A double as SQL, exact to the last bit. */
export function doubleLiteral(number: number): string {
  return `'${number.toExponential()}'::DOUBLE`;
}

export function textLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
