import type { Session } from "../../store/session.ts";
import type { Key } from "../../model/digest.ts";
import { integer, loaded, spelled, sql, text, type Sql, type SqlValue } from "../../store/sql.ts";

/**
 * The values of the rows of a project with these digests, as they were sent; rows that are not stored are missing. The rows
 * are found by a narrow column, so that only those asked for are read in full.
 */
export async function readRowValues(
  session: Session,
  projectId: string,
  digests: readonly string[],
): Promise<Map<string, string>> {
  const values = new Map<string, string>();
  const keys = await findRowKeys(session, projectId, digests);
  if (keys.length === 0) return values;
  const found = await session.rows(sql`SELECT digest, val FROM rows
    WHERE ${areSent(keys)}`);
  for (const [digest, val] of found) values.set(String(digest), String(val));
  const respelled = await session.rows(sql`SELECT digest, val FROM row_spellings
    WHERE project_id = ${text(projectId)} AND digest IN (SELECT digest FROM ${loaded("weave_digests")})`);
  for (const [digest, val] of respelled) values.set(String(digest), String(val));
  return values;
}

/** Which of these digests are those of stored rows of the project. */
export async function knownRowDigests(
  session: Session,
  projectId: string,
  digests: readonly string[],
): Promise<Set<string>> {
  const keys = await findRowKeys(session, projectId, digests);
  const found = await session.rows(sql`SELECT digest FROM rows WHERE ${areSent(keys)}`);
  return new Set(found.map(([digest]) => String(digest)));
}

async function findRowKeys(session: Session, projectId: string, digests: readonly string[]): Promise<Key[]> {
  await session.about(projectId, []);
  session.load("weave_digests", [{ name: "digest", type: "VARCHAR", values: [...new Set(digests)] }]);
  const [project] = await session.rows(
    sql`SELECT project_key FROM projects WHERE project_id = ${text(projectId)}`,
  );
  if (project === undefined || digests.length === 0) return [];
  const found = await session.rows(sql`SELECT row_key FROM rows
    WHERE project_key = ${integer(Number(project[0]))}
      AND digest_hash IN (SELECT md5_number_lower(digest) FROM ${loaded("weave_digests")})`);
  return found.map(([key]) => readKey(key));
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
