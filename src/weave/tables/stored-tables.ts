import type { Session } from "../../store/session.ts";
import { bigint, constant, sql, text } from "../../store/sql.ts";

/** A table that is to be stored; `spellings`: its rows whose stored values do not have every number as it was sent. */
interface NewTable {
  readonly projectId: string;
  readonly digest: string;
  readonly createdAt: bigint;
  readonly rowDigests: readonly string[];
  readonly spellings: ReadonlyMap<string, string>;
}

/** Stores a table unless it is there. */
export async function insertTable(session: Session, table: NewTable): Promise<void> {
  await insertSpellings(session, table);
  if ((await countRows(session, table.projectId, table.digest)) !== null) return;
  await session.run(sql`INSERT INTO row_tables VALUES (${text(table.projectId)}, ${text(table.digest)},
    ${bigint(table.createdAt)}, from_json(${text(JSON.stringify(table.rowDigests))}, '["VARCHAR"]'))`);
}

async function insertSpellings(session: Session, { projectId, spellings }: NewTable): Promise<void> {
  if (spellings.size === 0) return;
  session.load("spellings", [
    { name: "digest", type: "VARCHAR", values: [...spellings.keys()] },
    { name: "val", type: "VARCHAR", values: [...spellings.values()] },
  ]);
  await session.run(sql`INSERT INTO row_spellings SELECT ${text(projectId)}, digest, val FROM loaded('spellings')
    WHERE digest NOT IN (SELECT digest FROM row_spellings WHERE project_id = ${text(projectId)})`);
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
  const found = await session.rows(sql`SELECT unnest(row_digests[${constant(from + 1)}:${constant(to)}])
    FROM row_tables WHERE project_id = ${text(projectId)} AND digest = ${text(digest)}`);
  return found.map(([one]) => String(one));
}
