import type { FileSession } from "../../store/session.ts";
import { constant, EMPTY, sql, type Sql, type SqlValue } from "../../store/sql.ts";
import type { CallReading } from "../../ingest/record/call-reading.ts";
import { parseCallRecord } from "../../ingest/record/call-record.ts";
import { identity } from "../../ingest/keys/catalog.ts";
import type { HashFilter } from "../../ingest/lookup/hash-filter.ts";
import { hashColumn, identityHash } from "../../ingest/lookup/identity-hash.ts";
import { withOwnText, type CallIdentity, type KnownCall } from "../../ingest/lookup/known-call.ts";
import type { KeyRange, StoredHashes } from "./call-filters.ts";
import type { TurnTaker } from "../../model/turns.ts";

/** What a look-up of stored calls needs. `hashes` is null where every look-up must ask the database. */
export interface CallLookup {
  readonly session: FileSession;
  readonly reading: CallReading;
  readonly hashes: StoredHashes | null;
  /** Stored calls found before, by identity: mostly parents, which many batches name. */
  readonly met: Map<string, KnownCall>;
  readonly turns: TurnTaker;
}

export function callIdentity(projectKey: number, id: string): CallIdentity {
  const name = identity(projectKey, id);
  return { projectKey, id, identity: name, hash: identityHash(name) };
}

/** The stored calls of these identities. Costs one scan of a narrow column if any of them may be stored. */
export async function findCalls(lookup: CallLookup, wanted: readonly CallIdentity[]): Promise<KnownCall[]> {
  const calls: KnownCall[] = [];
  const unmet: CallIdentity[] = [];
  for (const one of wanted) {
    const met = lookup.met.get(one.identity);
    if (met === undefined) unmet.push(one);
    else calls.push(met);
  }
  const place = { column: sql`id_hash`, filter: lookup.hashes?.ids ?? null };
  for (const call of await find(lookup, unmet, place, (one) => one.identity)) {
    meet(lookup.met, call);
    calls.push(call);
  }
  return calls;
}

const MET_CALLS = 1000;
const MET_LENGTH = 16 * 1024;

/** Remembers a stored call. */
export function meet(met: Map<string, KnownCall>, call: KnownCall): void {
  if (call.text.length > MET_LENGTH) return;
  if (met.size >= MET_CALLS) met.clear();
  met.set(call.identity, withOwnText(call));
}

/** The stored calls whose parent is one of these identities. */
export function findChildren(lookup: CallLookup, parents: readonly CallIdentity[]): Promise<KnownCall[]> {
  const place = { column: sql`parent_hash`, filter: lookup.hashes?.parents ?? null };
  return find(lookup, parents, place, (call) => call.parent?.identity ?? null);
}

/** The column that holds the hash, and the filter of that column. */
interface Place {
  readonly column: Sql;
  readonly filter: HashFilter | null;
}

async function find(
  lookup: CallLookup,
  all: readonly CallIdentity[],
  { column, filter }: Place,
  confirmed: (call: KnownCall) => string | null,
): Promise<KnownCall[]> {
  const { session } = lookup;
  const { wanted, within } = possible(all, filter, lookup.hashes?.unread ?? null);
  if (wanted.length === 0) return [];
  const hashes = wanted.map(({ hash }) => hash);
  session.load("wanted_calls", [hashColumn("hash", hashes)]);
  const range =
    within === null
      ? EMPTY
      : sql` AND call_key BETWEEN ${constant(within.first)} AND ${constant(within.last)}`;
  const hits = await session.rows(
    sql`SELECT rowid FROM calls WHERE ${column} IN (SELECT hash FROM loaded('wanted_calls'))${range}`,
  );
  if (hits.length === 0) return [];
  const known = await fetchCalls(
    lookup,
    hits.map(([place]) => place ?? null),
  );
  const asked = new Set<string | null>(wanted.map((one) => one.identity));
  return known.filter((call) => asked.has(confirmed(call)));
}

/** The identities to look for, and the range of keys to search; null is all keys. */
function possible(
  wanted: readonly CallIdentity[],
  filter: HashFilter | null,
  unread: KeyRange | null,
): { readonly wanted: readonly CallIdentity[]; readonly within: KeyRange | null } {
  if (filter === null) return { wanted, within: null };
  const passed = wanted.filter(({ hash }) => filter.has(hash));
  if (unread === null) return { wanted: passed, within: null };
  return { wanted, within: passed.length > 0 ? null : unread };
}

/** Reads calls by their places: by keys, DuckDB would unpack all records between the first and the last. */
async function fetchCalls(
  { session, reading, turns }: CallLookup,
  places: readonly SqlValue[],
): Promise<KnownCall[]> {
  session.load("wanted_places", [{ name: "place", type: "BIGINT", values: places }]);
  const records = sql`SELECT c.call_key, project_key, hidden, record, name_rank
    FROM (FROM calls WHERE rowid IN (SELECT place FROM loaded('wanted_places'))) AS c
    LEFT JOIN named_calls AS n ON n.call_key = c.call_key`;
  const found = await session.rows(records);
  const calls: KnownCall[] = [];
  for (const values of found) {
    if (turns.shouldYield()) await turns.next();
    calls.push(knownCall(values, reading));
  }
  return calls;
}

function knownCall(values: readonly unknown[], reading: CallReading): KnownCall {
  const [key, projectKey, hidden, text, nameRank] = values;
  const record = parseCallRecord(String(text), reading);
  const { id, parentId, call, columns } = record;
  return {
    ...callIdentity(Number(projectKey), id),
    key: Number(key),
    parent: parentId === null ? null : callIdentity(Number(projectKey), parentId),
    text: record.text,
    hidden: hidden === true,
    isStored: true,
    call,
    columns,
    nameRank: nameRank === 2 ? 2 : nameRank === 1 ? 1 : 0,
  };
}
