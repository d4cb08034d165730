import type { Session } from "../../store/session.ts";
import type { Key } from "../../model/digest.ts";
import { integer, loaded, spelled, sql, text, type Sql, type SqlValue } from "../../store/sql.ts";

/**
 * The values of the rows of a project with these digests, as they were sent, stubs instead of long ones; rows that are
 * not stored are missing. The rows are found by a narrow column, so that only those asked for are read in full.
 */
export async function readRowValues(
  session: Session,
  projectId: string,
  digests: readonly string[],
): Promise<Map<string, string>> {
  const values = new Map<string, string>();
  const keys = await findRowKeys(session, projectId, digests);
  if (keys.length === 0) return values;
  const found = await session.rows(sql`SELECT digest, val FROM rows WHERE ${areSent(keys)}`);
  for (const [digest, val] of found) values.set(String(digest), String(val));
  const respelled = await session.rows(sql`SELECT digest, val FROM row_spellings
    WHERE project_id = ${text(projectId)} AND digest IN (SELECT digest FROM ${loaded("weave_digests")})`);
  for (const [digest, val] of respelled) values.set(String(digest), String(val));
  return values;
}

/** The place of the first of these digests that is of no stored row of the project; null where each is of one. */
export async function firstUnknownRow(
  session: Session,
  projectId: string,
  digests: readonly string[],
): Promise<number | null> {
  const rows = await rowsWith(session, projectId, digests);
  const known = rows === null ? sql`` : sql`WHERE digest NOT IN (SELECT digest ${rows} AND val IS NOT NULL)`;
  const [first] = await session.rows(
    sql`SELECT place FROM ${loaded("weave_digests")} ${known} ORDER BY place LIMIT 1`,
  );
  return first === undefined ? null : Number(first[0]);
}

async function findRowKeys(session: Session, projectId: string, digests: readonly string[]): Promise<Key[]> {
  const rows = await rowsWith(session, projectId, digests);
  if (rows === null || digests.length === 0) return [];
  const found = await session.rows(sql`SELECT row_key ${rows}`);
  return found.map(([key]) => readKey(key));
}

/** Loads digests, and returns what selects the rows of the project that have them; null for a project without rows. */
async function rowsWith(
  session: Session,
  projectId: string,
  digests: readonly string[],
): Promise<Sql | null> {
  await session.about(projectId, []);
  session.load("weave_digests", [
    { name: "digest", type: "VARCHAR", values: digests },
    { name: "place", type: "INTEGER", values: digests.map((_, place) => place) },
  ]);
  const [project] = await session.rows(
    sql`SELECT project_key FROM projects WHERE project_id = ${text(projectId)}`,
  );
  return project === undefined
    ? null
    : sql`FROM rows WHERE project_key = ${integer(Number(project[0]))}
      AND digest_hash IN (SELECT md5_number_lower(digest) FROM ${loaded("weave_digests")})`;
}

/** Those of these rows that were sent themselves. */
function areSent(keys: readonly Key[]): Sql {
  return spelled((dialect) => {
    const sent = sql`${dialect.amongKeys(sql`row_key`, keys)} AND val IS NOT NULL`;
    return dialect.ofFew(sql`rows`, sent, keys.length);
  });
}

function readKey(value: SqlValue | undefined): Key {
  return typeof value === "bigint" ? value : Number(value);
}
