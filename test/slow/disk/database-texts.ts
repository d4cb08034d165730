import { DuckDBInstance } from "@duckdb/node-api";
import type { ReadTexts } from "./contents.ts";

/** Reads the tables of a database that no engine has open. */
export async function withDatabase<T>(file: string, work: (readTexts: ReadTexts) => Promise<T>): Promise<T> {
  const instance = await DuckDBInstance.create(file, { threads: "1", access_mode: "READ_ONLY" });
  try {
    const connection = await instance.connect();
    try {
      return await work(async (query) => {
        const found = await connection.runAndReadAll(query);
        return found.getRows().map((values) => values.map(String));
      });
    } finally {
      connection.closeSync();
    }
  } finally {
    instance.closeSync();
  }
}
