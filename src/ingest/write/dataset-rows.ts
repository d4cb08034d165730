import { rowDigest } from "../../model/digest.ts";
import { parseJson } from "../../model/json.ts";
import type { TurnTaker } from "../../model/turns.ts";
import type { Session } from "../../store/session.ts";
import { sql } from "../../store/sql.ts";
import type { Example } from "../record/call.ts";
import { identity, type Catalog } from "../keys/catalog.ts";
import { createHashFilter, type HashFilter } from "../lookup/hash-filter.ts";
import { identityHash } from "../lookup/identity-hash.ts";

/** A dataset row as the writer knows it; see the table `rows`. */
export interface RowEntry {
  readonly key: number;
  readonly projectKey: number;
  readonly digest: string;
  inlineExample: string | null;
  referenced: boolean;
  respelled: boolean;
}

/** What a batch changes in the table `rows`; {@link writeRows} stores it. */
export interface RowChanges {
  readonly created: Set<RowEntry>;
  /** Rows that trials use in another form than before. */
  readonly changed: Set<RowEntry>;
  /** New dataset values. */
  readonly values: Map<RowEntry, string>;
}

export function noRowChanges(): RowChanges {
  return { created: new Set(), changed: new Set(), values: new Map() };
}

/** Rows met during a load, by digest and by the example's text, so that a row is digested once. */
export interface RowCache {
  readonly byDigest: Map<string, RowEntry>;
  readonly digests: Map<string, string>;
  /** The most entries that each of the two maps holds, and about the most bytes that both do. */
  readonly size: number;
  readonly bytes: number;
  /** About so many bytes are held. */
  held: number;
  /** The first key that the current load may give. */
  firstKey: number;
  /** Rows that the current load created and that are not in `byDigest` any more; null where there are none. */
  dropped: HashFilter | null;
}

export function createRowCache(bytes: number, size = 200_000): RowCache {
  return { byDigest: new Map(), digests: new Map(), size, bytes, held: 0, firstKey: 1, dropped: null };
}

/** What the maps hold of a row beside its example. */
const ENTRY_BYTES = 270;

/** The digest of a trial's row. */
export function exampleDigest(cache: RowCache, example: Example): string {
  if (example.reference !== null) return example.reference.digest;
  const known = cache.digests.get(example.text);
  if (known !== undefined) return known;
  const digest = rowDigest(parseJson(example.text));
  if (cache.digests.size >= cache.size) cache.digests.clear();
  cache.digests.set(example.text, digest);
  cache.held += ENTRY_BYTES + example.text.length;
  return digest;
}

/** What finds and creates rows. */
export interface RowLookup {
  readonly session: Session;
  readonly catalog: Catalog;
  readonly cache: RowCache;
  readonly turns: TurnTaker;
}

/** A row by name. */
export interface RowName {
  readonly projectKey: number;
  readonly digest: string;
}

/**
 * Finds or creates the rows of these names, by identity. While the cache holds every row that has a key, the database is not
 * asked. Nothing waits for the load's own writes but rows that it created and that the cache let go.
 */
export async function resolveRows(
  lookup: RowLookup,
  wanted: ReadonlyMap<string, RowName>,
  { created }: RowChanges,
): Promise<Map<string, RowEntry>> {
  const { catalog, cache } = lookup;
  const rows = new Map<string, RowEntry>();
  const missing = new Map(wanted);
  const found = (id: string, row: RowEntry) => {
    rows.set(id, row);
    missing.delete(id);
  };
  for (const id of wanted.keys()) {
    const known = cache.byDigest.get(id);
    if (known !== undefined) found(id, known);
  }
  for (const row of await storedRows(lookup, missing)) found(identity(row.projectKey, row.digest), row);
  for (const [id, { projectKey, digest }] of missing) {
    const key = catalog.next.row++;
    const row = { key, projectKey, digest, inlineExample: null, referenced: false, respelled: false };
    rows.set(id, row);
    created.add(row);
  }
  if (cache.byDigest.size + rows.size > cache.size || cache.held > cache.bytes) await dropRows(lookup);
  for (const [id, row] of rows) cache.byDigest.set(id, row);
  return rows;
}

/** Those of the rows that the database has. Rows from before the load are read beside its writes. */
async function storedRows(
  { session, catalog, cache }: RowLookup,
  missing: ReadonlyMap<string, RowName>,
): Promise<RowEntry[]> {
  if (missing.size === 0 || cache.byDigest.size === catalog.next.row - 1) return [];
  const earlier: RowName[] = [];
  const dropped: RowName[] = [];
  for (const [id, row] of missing)
    (cache.dropped?.has(identityHash(id)) === true ? dropped : earlier).push(row);
  const found = dropped.length === 0 ? [] : await findRows(session, dropped);
  if (cache.firstKey === 1 || earlier.length === 0) return found;
  return [...found, ...(await session.inSecondSession((second) => findRows(second, earlier)))];
}

/** Empties the cache; of rows that the load created, hashes stay. */
async function dropRows({ cache, turns }: RowLookup): Promise<void> {
  cache.dropped ??= createHashFilter();
  for (const [id, { key }] of cache.byDigest) {
    if (turns.shouldYield()) await turns.next();
    if (key >= cache.firstKey) cache.dropped.add(identityHash(id));
  }
  cache.byDigest.clear();
  cache.digests.clear();
  cache.held = 0;
}

async function findRows(session: Session, wanted: readonly RowName[]): Promise<RowEntry[]> {
  session.load("wanted_rows", [
    { name: "project_key", type: "INTEGER", values: wanted.map((one) => one.projectKey) },
    { name: "digest", type: "VARCHAR", values: wanted.map((one) => one.digest) },
  ]);
  const hits = await session.rows(sql`SELECT row_key FROM rows
    WHERE digest_hash IN (SELECT md5_number_lower(digest) FROM loaded('wanted_rows'))`);
  if (hits.length === 0) return [];
  const asked = new Set(wanted.map((one) => identity(one.projectKey, one.digest)));
  const known = await fetchRows(
    session,
    hits.map(([key]) => Number(key)),
  );
  return known.filter((row) => asked.has(identity(row.projectKey, row.digest)));
}

async function fetchRows(session: Session, keys: readonly number[]): Promise<RowEntry[]> {
  session.load("wanted_keys", [{ name: "row_key", type: "INTEGER", values: keys }]);
  const found =
    await session.rows(sql`SELECT row_key, project_key, digest, inline_example, referenced, respelled
    FROM rows WHERE row_key IN (SELECT row_key FROM loaded('wanted_keys'))`);
  return found.map(([key, projectKey, digest, inlineExample, referenced, respelled]) => ({
    key: Number(key),
    projectKey: Number(projectKey),
    digest: String(digest),
    inlineExample: inlineExample === null ? null : String(inlineExample),
    referenced: referenced === true,
    respelled: respelled === true,
  }));
}

/** Records the form in which a trial uses the row. Returns whether that changed the row. */
export function noteExample(row: RowEntry, example: Example): boolean {
  if (example.reference !== null) {
    if (row.referenced) return false;
    row.referenced = true;
    return true;
  }
  if (row.inlineExample === null) {
    row.inlineExample = example.text;
    return true;
  }
  if (row.inlineExample === example.text || row.respelled) return false;
  row.respelled = true;
  return true;
}

/** Stores new rows, new dataset values, and how trials use rows. */
export async function writeRows(session: Session, { created, changed, values }: RowChanges): Promise<void> {
  if (created.size > 0) {
    loadRows(session, [...created], values);
    await session.run(sql`INSERT INTO rows SELECT row_key, project_key, md5_number_lower(digest), referenced,
      respelled, digest, val, inline_example FROM loaded('rows')`);
  }
  const used = [...changed].filter((row) => !created.has(row));
  if (used.length > 0) {
    loadRows(session, used, values);
    await session.run(sql`UPDATE rows SET referenced = l.referenced, respelled = l.respelled,
      inline_example = l.inline_example FROM loaded('rows') AS l WHERE rows.row_key = l.row_key`);
  }
  const valued = [...values.keys()].filter((row) => !created.has(row));
  if (valued.length > 0) {
    loadRows(session, valued, values);
    await session.run(
      sql`UPDATE rows SET val = l.val FROM loaded('rows') AS l WHERE rows.row_key = l.row_key`,
    );
  }
}

function loadRows(session: Session, rows: readonly RowEntry[], values: RowChanges["values"]): void {
  session.load("rows", [
    { name: "row_key", type: "INTEGER", values: rows.map((row) => row.key) },
    { name: "project_key", type: "INTEGER", values: rows.map((row) => row.projectKey) },
    { name: "referenced", type: "BOOLEAN", values: rows.map((row) => row.referenced) },
    { name: "respelled", type: "BOOLEAN", values: rows.map((row) => row.respelled) },
    { name: "digest", type: "VARCHAR", values: rows.map((row) => row.digest) },
    { name: "inline_example", type: "VARCHAR", values: rows.map((row) => row.inlineExample) },
    { name: "val", type: "VARCHAR", values: rows.map((row) => values.get(row) ?? null) },
  ]);
}
