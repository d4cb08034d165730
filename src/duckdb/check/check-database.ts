import type { Conventions } from "../../model/conventions.ts";
import type { FileStore, FileSession, Store } from "../../store/session.ts";
import { doubledRecords } from "./doubled-records.ts";
import { lostReferences } from "./lost-references.ts";
import { type CheckResult, countOf, readTables, type Problem } from "../../store/check-result.ts";
import { unsettledTrials } from "./unsettled-trials.ts";
import { countUnfiltered } from "../load/saved-filters.ts";
import { createTurnTaker } from "../../model/turns.ts";
import { identifier, sql } from "../../store/sql.ts";

/** Reads all of one snapshot. After a block that cannot be read, tables are not compared: that would fail on the same block. */
export async function checkDatabase(
  store: FileStore,
  conventions: Conventions,
  signal?: AbortSignal,
): Promise<CheckResult> {
  const { tables, problems } = await readAll(store, signal);
  if (problems.length > 0) return { tables, problems };
  return store.read(
    async (session) => ({
      tables,
      problems: [
        ...(await doubledRecords(session)),
        ...(await lostReferences(session)),
        ...(await unsettledTrials(session, conventions)),
        ...(await missingHashes(session)),
      ],
    }),
    signal,
  );
}

/** Checks that the filters, with which a load recognises new calls, cover every stored call. */
async function missingHashes(session: FileSession): Promise<Problem[]> {
  const records = await countUnfiltered(session, createTurnTaker());
  if (records === 0) return [];
  const message = `hash_layers: ${countOf(records)} of calls lacks there, and could be stored twice`;
  return [{ kind: "missing", table: "hash_layers", records, message }];
}

/** Reads every value of every table, each table in its own transaction, so that a damaged one does not hide the others. */
async function readAll(store: Store, signal?: AbortSignal): Promise<CheckResult> {
  const names = await store.read(
    (session) => session.rows(sql`SELECT table_name FROM duckdb_tables() WHERE NOT internal ORDER BY ALL`),
    signal,
  );
  const count = async (table: string) => {
    const query = sql`SELECT count(*), bit_xor(hash(t)) FROM ${identifier(table)} AS t`;
    const [counted] = await store.read((session) => session.rows(query), signal);
    return counted?.[0];
  };
  return readTables(
    names.map(([name]) => String(name)),
    count,
  );
}
