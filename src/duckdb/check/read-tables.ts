import { StoreError } from "../../errors.ts";
import type { Store } from "../../store/session.ts";
import { identifier, sql } from "../../store/sql.ts";
import type { CheckResult } from "../../store/check-result.ts";

/** Reads every value of every table, each table in its own transaction, so that a damaged one does not hide the others. */
export async function readTables(store: Store, signal?: AbortSignal): Promise<CheckResult> {
  const names = await store.read(
    (session) => session.rows(sql`SELECT table_name FROM duckdb_tables() WHERE NOT internal ORDER BY ALL`),
    signal,
  );
  const tables: { name: string; records: number }[] = [];
  const problems: CheckResult["problems"][number][] = [];
  for (const [value] of names) {
    const name = String(value);
    try {
      const query = sql`SELECT count(*), bit_xor(hash(t)) FROM ${identifier(name)} AS t`;
      const [counted] = await store.read((session) => session.rows(query), signal);
      tables.push({ name, records: Number(counted?.[0]) });
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      problems.push({
        kind: "unreadable",
        table: name,
        records: null,
        message: `${name}: cannot be read: ${error.message}`,
      });
    }
  }
  return { tables, problems };
}
