import type { Key } from "../../model/digest.ts";
import type { CallSearch, CallSelection, RecordStore, Session } from "../../store/session.ts";
import { EMPTY, integer, join, loaded, spelled, sql, type Sql, text } from "../../store/sql.ts";
import { isAmongTexts } from "../objects/versions.ts";

/** Reads calls where they are a relation. */
export function relationOfCalls({ read }: Pick<RecordStore, "read">): CallSearch {
  return {
    find: (projectId, selection, signal) =>
      read((session) => findCandidates(session, projectId, selection), signal),
    records: (_, keys, signal) => read((session) => readRecords(session, keys), signal),
  };
}

/** Keys of the calls that the narrow columns let pass, by start, then id. */
async function findCandidates(
  session: Session,
  projectId: string,
  selection: CallSelection,
): Promise<readonly Key[]> {
  const [project] = await session.rows(
    sql`SELECT project_key FROM projects WHERE project_id = ${text(projectId)}`,
  );
  if (project === undefined) return [];
  const key = Number(project[0]);
  const found = await session.rows(sql`SELECT call_key FROM calls
    WHERE project_key = ${integer(key)} AND NOT hidden AND started_at IS NOT NULL${narrow(session, key, selection)}
    ORDER BY started_at, id`);
  return found.map(([one]) => Number(one));
}

function narrow(session: Session, projectKey: number, { ids, ops, parents, rootsOnly }: CallSelection): Sql {
  return join(
    [
      ids == null ? EMPTY : sql` AND ${isAmongTexts(session, "weave_ids", sql`id`, ids)}`,
      ops == null ? EMPTY : sql` AND (${ofOps(session, ops)})`,
      parents == null ? EMPTY : sql` AND ${isBelow(session, projectKey, parents)}`,
      rootsOnly === true ? sql` AND parent_hash IS NULL` : EMPTY,
    ],
    EMPTY,
  );
}

const ANY_VERSION = ":*";

/** An op name that ends in `:*` stands for every version of the op. */
function ofOps(session: Session, ops: readonly string[]): Sql {
  const prefixes = ops.filter((name) => name.endsWith(ANY_VERSION)).map((name) => name.slice(0, -1));
  const names = ops.filter((name) => !name.endsWith(ANY_VERSION));
  const starts = prefixes.map((prefix) => sql`starts_with(op_name, ${text(prefix)})`);
  return join([isAmongTexts(session, "weave_ops", sql`op_name`, names), ...starts], sql` OR `);
}

/** By hash; the parent itself is compared when the record is read. */
function isBelow(session: Session, projectKey: number, parents: readonly string[]): Sql {
  if (parents.length === 0) return sql`false`;
  session.load("weave_parents", [
    { name: "id", type: "VARCHAR", values: parents.map((id) => `${projectKey}:${id}`) },
  ]);
  return sql`parent_hash IN (SELECT md5_number_lower(id) FROM ${loaded("weave_parents")})`;
}

/** The records of these calls by key, as they were sent; one that was hidden meanwhile is missing. */
export async function readRecords(session: Session, keys: readonly Key[]): Promise<Map<Key, string>> {
  const wanted = spelled((dialect) => {
    const shown = sql`${dialect.amongKeys(sql`call_key`, keys)} AND NOT hidden`;
    return dialect.ofFew(sql`calls`, shown, keys.length);
  });
  const found = await session.rows(sql`SELECT call_key, record FROM calls WHERE ${wanted}`);
  return new Map(found.map(([key, record]) => [Number(key), String(record)]));
}
