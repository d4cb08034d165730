import type { Session } from "../../store/session.ts";
import { EMPTY, integer, join, sql, text, type Sql } from "../../store/sql.ts";
import { isAmong } from "../objects/versions.ts";
import type { CallFilter } from "./read-requests.ts";

/** Keys of the calls that the narrow columns let pass, by start, then id. */
export async function findCandidates(
  session: Session,
  projectId: string,
  filter: CallFilter,
): Promise<readonly number[]> {
  const [project] = await session.rows(
    sql`SELECT project_key FROM projects WHERE project_id = ${text(projectId)}`,
  );
  if (project === undefined) return [];
  const key = Number(project[0]);
  const found = await session.rows(sql`SELECT call_key FROM calls
    WHERE project_key = ${integer(key)} AND NOT hidden AND started_at IS NOT NULL${narrow(key, filter)}
    ORDER BY started_at, id`);
  return found.map(([one]) => Number(one));
}

function narrow(projectKey: number, filter: CallFilter): Sql {
  const { call_ids: ids, op_names: ops, parent_ids: parents, trace_roots_only: rootsOnly } = filter;
  return join(
    [
      ids == null ? EMPTY : sql` AND ${isAmong(sql`id`, ids)}`,
      ops == null ? EMPTY : sql` AND (${ofOps(ops)})`,
      parents == null ? EMPTY : sql` AND ${isBelow(projectKey, parents)}`,
      rootsOnly === true ? sql` AND parent_hash IS NULL` : EMPTY,
    ],
    EMPTY,
  );
}

const ANY_VERSION = ":*";

/** An op name that ends in `:*` stands for every version of the op. */
function ofOps(ops: readonly string[]): Sql {
  const prefixes = ops.filter((name) => name.endsWith(ANY_VERSION)).map((name) => name.slice(0, -1));
  const names = ops.filter((name) => !name.endsWith(ANY_VERSION));
  const starts = prefixes.map((prefix) => sql`starts_with(op_name, ${text(prefix)})`);
  return join([isAmong(sql`op_name`, names), ...starts], sql` OR `);
}

/** By hash; the parent itself is compared when the record is read. */
function isBelow(projectKey: number, parents: readonly string[]): Sql {
  if (parents.length === 0) return sql`false`;
  const hashes = parents.map((id) => sql`md5_number_lower(${text(`${projectKey}:${id}`)})`);
  return sql`parent_hash IN (${join(hashes, sql`, `)})`;
}

/** The records of these calls by key, as they were sent; one that was hidden meanwhile is missing. */
export async function readRecords(session: Session, keys: readonly number[]): Promise<Map<number, string>> {
  session.load("weave_calls", [{ name: "call_key", type: "INTEGER", values: keys }]);
  const found = await session.rows(sql`SELECT call_key, record FROM calls
    WHERE call_key IN (SELECT call_key FROM loaded('weave_calls')) AND NOT hidden`);
  return new Map(found.map(([key, record]) => [Number(key), String(record)]));
}
