import { readFileSync } from "node:fs";
import { openStore } from "../../src/engine/duckdb/store.ts";
import type { Store } from "../../src/model/session.ts";

/** A database with the tables of these files of `sql/duckdb`. */
export async function openTables(files: readonly string[], path = ":memory:"): Promise<Store> {
  const store = await openStore({ path, readOnly: false, threads: 1, memoryLimit: null });
  const statements = files
    .map((file) => readFileSync(new URL(`../../sql/duckdb/${file}`, import.meta.url), "utf8"))
    .join("\n")
    .replaceAll(/^--.*$/gm, "")
    .split(";")
    .filter((statement) => statement.trim() !== "");
  await store.write(async (session) => {
    for (const statement of statements) await session.run({ parts: [statement], params: [] });
  });
  return store;
}
