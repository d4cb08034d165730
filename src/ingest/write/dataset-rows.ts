import { rowDigest } from "../../model/digest.ts";
import { parseJson } from "../../model/json.ts";
import type { Session } from "../../store/session.ts";
import { sql } from "../../store/sql.ts";
import type { Example } from "../record/call.ts";
import { identity, type Catalog } from "../keys/catalog.ts";

/** A dataset row as the writer knows it; see the table `rows`. */
export interface RowEntry {
  readonly key: number;
  readonly projectKey: number;
  readonly digest: string;
  inlineExample: string | null;
  referenced: boolean;
  respelled: boolean;
}

/** Rows met during a load, by digest and by the example's text, so that a row is digested once. */
export interface RowCache {
  readonly byDigest: Map<string, RowEntry>;
  readonly digests: Map<string, string>;
  /** The most entries that each of the two maps holds. */
  readonly size: number;
  /** Whether rows that the current load created may be missing. */
  isIncomplete: boolean;
}

export function createRowCache(size = 200_000): RowCache {
  return { byDigest: new Map(), digests: new Map(), size, isIncomplete: false };
}

/** The digest of a trial's row. */
export function exampleDigest(cache: RowCache, example: Example): string {
  if (example.reference !== null) return example.reference.digest;
  const known = cache.digests.get(example.text);
  if (known !== undefined) return known;
  const digest = rowDigest(parseJson(example.text));
  if (cache.digests.size >= cache.size) cache.digests.clear();
  cache.digests.set(example.text, digest);
  return digest;
}

/**
 * Finds or creates the rows of these digests; {@link writeRows} stores the new ones. While the cache holds every row
 * that has a key, the database is not asked. While it holds every row that this load created, nothing waits for the
 * load's own writes.
 */
export async function resolveRows(
  session: Session,
  catalog: Catalog,
  cache: RowCache,
  wanted: ReadonlyMap<string, RowName>,
): Promise<{ readonly rows: Map<string, RowEntry>; readonly created: Set<RowEntry> }> {
  const rows = new Map<string, RowEntry>();
  const missing = new Map(wanted);
  for (const id of wanted.keys()) {
    const known = cache.byDigest.get(id);
    if (known === undefined) continue;
    rows.set(id, known);
    missing.delete(id);
  }
  const all = cache.byDigest.size === catalog.next.row - 1;
  const stored = all || missing.size === 0 ? [] : await lookUpRows(session, cache, [...missing.values()]);
  for (const row of stored) {
    rows.set(identity(row.projectKey, row.digest), row);
    missing.delete(identity(row.projectKey, row.digest));
  }
  const created = new Set<RowEntry>();
  for (const [id, { projectKey, digest }] of missing) {
    const row: RowEntry = {
      key: catalog.next.row++,
      projectKey,
      digest,
      inlineExample: null,
      referenced: false,
      respelled: false,
    };
    rows.set(id, row);
    created.add(row);
  }
  if (cache.byDigest.size + rows.size > cache.size) {
    cache.byDigest.clear();
    cache.isIncomplete = true;
  }
  for (const [id, row] of rows) cache.byDigest.set(id, row);
  return { rows, created };
}

type RowName = { readonly projectKey: number; readonly digest: string };

function lookUpRows(session: Session, cache: RowCache, wanted: readonly RowName[]): Promise<RowEntry[]> {
  const find = (from: Session) => findRows(from, wanted);
  return cache.isIncomplete ? find(session) : session.inSecondSession(find);
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

/** Stores new rows and rows that trials changed; the dataset value of a stored row stays. */
export async function writeRows(
  session: Session,
  created: ReadonlySet<RowEntry>,
  changed: ReadonlySet<RowEntry>,
): Promise<void> {
  const fresh = [...created];
  if (fresh.length > 0) {
    loadRows(session, fresh);
    await session.run(sql`INSERT INTO rows SELECT row_key, project_key, md5_number_lower(digest), referenced,
      respelled, digest, NULL, inline_example FROM loaded('rows')`);
  }
  const updated = [...changed].filter((row) => !created.has(row));
  if (updated.length > 0) {
    loadRows(session, updated);
    await session.run(sql`UPDATE rows SET referenced = l.referenced, respelled = l.respelled,
      inline_example = l.inline_example FROM loaded('rows') AS l WHERE rows.row_key = l.row_key`);
  }
}

function loadRows(session: Session, rows: readonly RowEntry[]): void {
  session.load("rows", [
    { name: "row_key", type: "INTEGER", values: rows.map((row) => row.key) },
    { name: "project_key", type: "INTEGER", values: rows.map((row) => row.projectKey) },
    { name: "referenced", type: "BOOLEAN", values: rows.map((row) => row.referenced) },
    { name: "respelled", type: "BOOLEAN", values: rows.map((row) => row.respelled) },
    { name: "digest", type: "VARCHAR", values: rows.map((row) => row.digest) },
    { name: "inline_example", type: "VARCHAR", values: rows.map((row) => row.inlineExample) },
  ]);
}
