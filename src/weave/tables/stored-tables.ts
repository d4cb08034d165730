import { partsOf } from "../../model/turns.ts";
import { textColumns } from "../../store/records.ts";
import type { RecordSession, Session } from "../../store/session.ts";
import { constant, loaded, spelled, sql, text } from "../../store/sql.ts";

/** A row as it is to be stored. */
export interface SentRow {
  readonly digest: string;
  /** JSON without blanks, with every number as it was sent. */
  readonly val: string;
  /** Whether that is how the row is stored. */
  readonly isCompact: boolean;
}

/**
 * A table that is to be stored; `spelled`: its rows, each once, whose stored values do not have every number as it was
 * sent.
 */
interface NewTable {
  readonly projectId: string;
  readonly digest: string;
  readonly createdAt: bigint;
  /** The JSON list of the digests of its rows. */
  readonly rowDigests: string;
  readonly spelled: readonly SentRow[];
}

/** Rows that are looked up at once. */
const ROWS = 10_000;

/** Stores a table unless it is there. */
export async function insertTable(session: RecordSession, table: NewTable): Promise<void> {
  const { projectId, digest, createdAt, rowDigests } = table;
  for (const rows of partsOf(table.spelled, ROWS)) await insertSpelled(session, projectId, rows);
  if ((await countRows(session, projectId, digest)) !== null) return;
  await session.add("row_tables", [
    ...textColumns({ project_id: projectId, digest, row_digests: rowDigests }),
    { name: "created_at", type: "BIGINT", values: [createdAt] },
  ]);
}

async function insertSpelled(
  session: RecordSession,
  projectId: string,
  rows: readonly SentRow[],
): Promise<void> {
  session.load("spellings", [{ name: "digest", type: "VARCHAR", values: rows.map(({ digest }) => digest) }]);
  const found = await session.rows(sql`SELECT digest FROM row_spellings
    WHERE project_id = ${text(projectId)} AND digest IN (SELECT digest FROM ${loaded("spellings")})`);
  const known = new Set(found.map(([digest]) => digest));
  const fresh = rows.filter(({ digest }) => !known.has(digest));
  await session.add("row_spellings", [
    { name: "project_id", type: "VARCHAR", values: fresh.map(() => projectId) },
    { name: "digest", type: "VARCHAR", values: fresh.map(({ digest }) => digest) },
    { name: "val", type: "VARCHAR", values: fresh.map(({ val }) => val) },
  ]);
}

/** How many rows a table has; null where there is no such table. */
export async function countRows(session: Session, projectId: string, digest: string): Promise<number | null> {
  const [found] = await session.rows(sql`SELECT len(row_digests) FROM row_tables
    WHERE project_id = ${text(projectId)} AND digest = ${text(digest)}`);
  return found === undefined ? null : Number(found[0]);
}

/** The digests of some rows of a table, in order. */
export async function readRowDigests(
  session: Session,
  projectId: string,
  digest: string,
  from = 0,
  to = 2 ** 31 - 1,
): Promise<string[]> {
  const list = sql`list_slice(row_digests, ${constant(from + 1)}, ${constant(to)})`;
  const items = spelled((dialect) => dialect.unnested(list));
  const found = await session.rows(
    sql`SELECT ${items} FROM row_tables WHERE project_id = ${text(projectId)} AND digest = ${text(digest)}`,
  );
  return found.map(([one]) => String(one));
}
