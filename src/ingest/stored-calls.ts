import type { Session } from "../model/session.ts";
import { constant, join, sql, type Sql } from "../model/sql.ts";
import type { Call, Conventions } from "./call.ts";
import { parseCallRecord } from "./call-record.ts";
import { identity } from "./catalog.ts";

/** A call as the database, or the batch being loaded, has it. */
export interface KnownCall {
  readonly key: number;
  readonly projectKey: number;
  readonly id: string;
  readonly parentId: string | null;
  readonly text: string;
  readonly hidden: boolean;
  /** Whether the database has a record of it already. */
  readonly stored: boolean;
  readonly identity: string;
  readonly parentIdentity: string | null;
  /** Null while only the end of the call is known. */
  readonly call: Call | null;
}

export interface CallIdentity {
  readonly projectKey: number;
  readonly id: string;
}

/** The stored calls of these identities. Cost: one scan of a narrow column, then the hits. */
export function findCalls(
  session: Session,
  conventions: Conventions,
  wanted: readonly CallIdentity[],
): Promise<KnownCall[]> {
  return find(session, conventions, wanted, sql`id_hash`, (call) => call.identity);
}

/** The stored calls whose parent is one of these identities. */
export function findChildren(
  session: Session,
  conventions: Conventions,
  parents: readonly CallIdentity[],
): Promise<KnownCall[]> {
  return find(session, conventions, parents, sql`parent_hash`, (call) => call.parentIdentity);
}

async function find(
  session: Session,
  conventions: Conventions,
  wanted: readonly CallIdentity[],
  column: Sql,
  confirmed: (call: KnownCall) => string | null,
): Promise<KnownCall[]> {
  if (wanted.length === 0) return [];
  await session.load("wanted_calls", [
    { name: "project_key", type: "INTEGER", values: wanted.map((one) => one.projectKey) },
    { name: "id", type: "VARCHAR", values: wanted.map((one) => one.id) },
  ]);
  const hits = await session.rows(sql`SELECT call_key FROM calls
    WHERE ${column} IN (SELECT md5_number_lower(concat(project_key, ':', id)) FROM wanted_calls)`);
  if (hits.length === 0) return [];
  const known = await fetchCalls(
    session,
    conventions,
    hits.map(([key]) => Number(key)),
  );
  const asked = new Set<string | null>(wanted.map((one) => identity(one.projectKey, one.id)));
  return known.filter((call) => asked.has(confirmed(call)));
}

/** Below DuckDB's limit for answering an IN list from an index. */
const FETCH_SIZE = 1000;
const SCAN_FROM = 20_000;

async function fetchCalls(
  session: Session,
  conventions: Conventions,
  keys: readonly number[],
): Promise<KnownCall[]> {
  const calls: KnownCall[] = [];
  const select = sql`SELECT call_key, project_key, id, hidden, record FROM calls`;
  if (keys.length >= SCAN_FROM) {
    await session.load("wanted_keys", [{ name: "call_key", type: "INTEGER", values: keys }]);
    const found = await session.rows(sql`${select} WHERE call_key IN (SELECT call_key FROM wanted_keys)`);
    return found.map((values) => knownCall(values, conventions));
  }
  for (let i = 0; i < keys.length; i += FETCH_SIZE) {
    const list = join(keys.slice(i, i + FETCH_SIZE).map(constant), sql`, `);
    for (const values of await session.rows(sql`${select} WHERE call_key IN (${list})`))
      calls.push(knownCall(values, conventions));
  }
  return calls;
}

function knownCall(values: readonly unknown[], conventions: Conventions): KnownCall {
  const [key, projectKey, id, hidden, text] = values;
  const record = parseCallRecord(String(text), conventions);
  return {
    key: Number(key),
    projectKey: Number(projectKey),
    id: String(id),
    parentId: record.parentId,
    text: record.text,
    hidden: hidden === true,
    stored: true,
    identity: identity(Number(projectKey), record.id),
    parentIdentity: record.parentId === null ? null : identity(Number(projectKey), record.parentId),
    call: record.call,
  };
}
