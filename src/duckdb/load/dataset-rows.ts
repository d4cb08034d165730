import type { TurnTaker } from "../../model/turns.ts";
import type { FileSession } from "../../store/session.ts";
import { integer, sql, text, type SqlValue } from "../../store/sql.ts";
import { bytesOfStubs, keysOfStubs } from "../../model/text-stubs.ts";
import { removeTexts, writeTexts } from "./call-texts.ts";
import type { TextCutter } from "../../ingest/texts/text-cutter.ts";
import { identity, type Catalog } from "../../ingest/keys/catalog.ts";
import { createHashFilter } from "../../ingest/lookup/hash-filter.ts";
import { identityHash } from "../../ingest/lookup/identity-hash.ts";
import {
  heldBytes,
  newRow,
  type RowCache,
  type RowChanges,
  type RowEntry,
  type RowName,
  type RowValue,
} from "../../ingest/write/row-entries.ts";

/** What finds and creates rows. */
export interface RowLookup {
  readonly session: FileSession;
  readonly catalog: Catalog;
  readonly cache: RowCache;
  readonly turns: TurnTaker;
  /** Whether writes of earlier batches may be under way, which a session of its own need not wait for. */
  readonly isLarge: () => boolean;
}

/**
 * Finds or creates the rows of these names, by identity. While the cache holds every row that has a key, the database
 * is not asked. Nothing waits for the load's own writes but rows that it created or spelled anew and that the cache let
 * go.
 */
export async function resolveRows(
  lookup: RowLookup,
  wanted: ReadonlyMap<string, RowName>,
  { created }: RowChanges,
): Promise<Map<string, RowEntry>> {
  const { catalog, cache } = lookup;
  const rows = new Map<string, RowEntry>();
  const missing = new Map<string, RowName>();
  for (const [id, name] of wanted) {
    const known = cache.byDigest.get(id);
    if (known === undefined) missing.set(id, name);
    else rows.set(id, known);
  }
  const stored = await storedRows(lookup, missing);
  for (const row of stored) {
    const id = identity(row.projectKey, row.digest);
    if (missing.delete(id)) rows.set(id, row);
  }
  for (const [id, { projectKey, digest }] of missing) {
    const row = newRow(catalog.next.row++, projectKey, digest);
    rows.set(id, row);
    created.add(row);
  }
  if (cache.byDigest.size + rows.size > cache.size || cache.held > cache.bytes) await dropRows(lookup);
  for (const [id, row] of rows) cache.byDigest.set(id, row);
  keepAhead(cache, stored);
  return rows;
}

/** The row of a name, where it is stored. */
export async function findRow(lookup: RowLookup, name: RowName): Promise<RowEntry | null> {
  const id = identity(name.projectKey, name.digest);
  const known = lookup.cache.byDigest.get(id);
  if (known !== undefined) return known;
  const found = await storedRows(lookup, new Map([[id, name]]));
  return found.find(({ projectKey, digest }) => identity(projectKey, digest) === id) ?? null;
}

/** Keeps rows that were read ahead, but for those that the load has met: what was read does not say what it changed. */
function keepAhead(cache: RowCache, stored: readonly RowEntry[]): void {
  for (const row of stored) {
    const id = identity(row.projectKey, row.digest);
    if (cache.byDigest.has(id) || cache.dropped?.has(identityHash(id)) === true) continue;
    cache.byDigest.set(id, row);
    cache.held += heldBytes(row.inlineExample);
  }
}

/**
 * Those of the rows that the database has, and some that may be asked for next. A large load reads rows from before it
 * beside its writes; the second session that this takes is a third of the processor time of a load of 100 calls.
 */
async function storedRows(
  { session, catalog, cache, isLarge }: RowLookup,
  missing: ReadonlyMap<string, RowName>,
): Promise<RowEntry[]> {
  if (missing.size === 0 || cache.byDigest.size === catalog.next.row - 1) return [];
  const earlier: RowName[] = [];
  const dropped: RowName[] = [];
  for (const [id, row] of missing)
    (cache.dropped?.has(identityHash(id)) === true ? dropped : earlier).push(row);
  const found = dropped.length === 0 ? [] : await findRows(session, dropped, 0);
  if (cache.firstKey === 1 || earlier.length === 0) return found;
  const bytesAhead = Math.min(MOST_BYTES_AHEAD, cache.bytes * PART_AHEAD);
  const read = (from: FileSession) => findRows(from, earlier, bytesAhead);
  return [...found, ...(await (isLarge() ? session.inSecondSession(read) : read(session)))];
}

/** Empties the cache; of rows that the load created or spelled anew, hashes stay. */
async function dropRows({ cache, turns }: RowLookup): Promise<void> {
  cache.dropped ??= createHashFilter();
  for (const [id, { key, isSpelledAnew }] of cache.byDigest) {
    if (turns.shouldYield()) await turns.next();
    if (key >= cache.firstKey || isSpelledAnew) cache.dropped.add(identityHash(id));
  }
  cache.byDigest.clear();
  cache.digests.clear();
  cache.held = 0;
}

/** The wanted rows, and up to so many bytes of those that follow them, where they lie close together. */
async function findRows(
  session: FileSession,
  wanted: readonly RowName[],
  bytesAhead: number,
): Promise<RowEntry[]> {
  session.load("wanted_rows", [
    { name: "project_key", type: "INTEGER", values: wanted.map((one) => one.projectKey) },
    { name: "digest", type: "VARCHAR", values: wanted.map((one) => one.digest) },
  ]);
  const hits = await session.rows(sql`SELECT rowid FROM rows
    WHERE digest_hash IN (SELECT md5_number_lower(digest) FROM loaded('wanted_rows'))`);
  if (hits.length === 0) return [];
  const places = hits.map(([place]) => place ?? null);
  const asked = new Set(wanted.map((one) => identity(one.projectKey, one.digest)));
  const known = (await fetchRows(session, places)).filter((row) =>
    asked.has(identity(row.projectKey, row.digest)),
  );
  const next = placesAhead(places, known, bytesAhead);
  return next.length === 0 ? known : [...known, ...(await fetchRows(session, next))];
}

/** Rows lie in the order of their dataset, in which evaluations mostly go through them. */
const TIMES_AHEAD = 32;
/** Rows of which more than every eighth is wanted go on together, if they are so many. */
const MOST_APART = 8;
const LEAST_ROWS = 4;
/** The most bytes that are read ahead at once, and the part of those that the cache may hold. */
const MOST_BYTES_AHEAD = 2 ** 22;
const PART_AHEAD = 1 / 4;

/**
 * The places after each run of these places, which are those of rows that were committed: others are beyond 2^53. What
 * follows is taken to be as long as what is known.
 */
function placesAhead(places: readonly SqlValue[], known: readonly RowEntry[], mostBytes: number): number[] {
  const bytes = known.reduce((sum, row) => sum + heldBytes(row.inlineExample), 0);
  const times = Math.min(TIMES_AHEAD, Math.floor(mostBytes / Math.max(1, bytes)));
  const ahead: number[] = [];
  const sorted = places.map(Number).toSorted((a, b) => a - b);
  let first = 0;
  for (const [i, place] of sorted.entries()) {
    const next = sorted[i + 1] ?? Infinity;
    if (next - place <= MOST_APART) continue;
    const wanted = i + 1 - first;
    first = i + 1;
    if (wanted < LEAST_ROWS) continue;
    for (let at = 1; at <= wanted * times && place + at < next; at++) ahead.push(place + at);
  }
  return ahead;
}

/** Reads rows by their places: by keys, DuckDB would unpack all rows between the first and the last. */
async function fetchRows(session: FileSession, places: readonly SqlValue[]): Promise<RowEntry[]> {
  session.load("wanted_places", [{ name: "place", type: "BIGINT", values: places }]);
  const found =
    await session.rows(sql`SELECT row_key, project_key, digest, inline_example, referenced, respelled
    FROM rows WHERE rowid IN (SELECT place FROM loaded('wanted_places'))`);
  return found.map(([key, projectKey, digest, inlineExample, referenced, respelled]) => ({
    ...newRow(Number(key), Number(projectKey), String(digest)),
    inlineExample: inlineExample === null ? null : String(inlineExample),
    referenced: referenced === true,
    respelled: respelled === true,
  }));
}

/** Stores new rows, new dataset values, and how trials use rows. */
export async function writeRows(
  session: FileSession,
  { created, changed, values }: RowChanges,
  cutter: TextCutter,
): Promise<void> {
  const { gone, written } = await changedValues(session, cutter, values);
  await writeTexts(session, cutter, written);
  if (created.size > 0) {
    loadRows(session, [...created], values, cutter.mark);
    await session.run(sql`INSERT INTO rows SELECT row_key, project_key, md5_number_lower(digest), referenced,
      respelled, digest, val, inline_example, text_bytes FROM loaded('rows')`);
  }
  const used = [...changed].filter((row) => !created.has(row));
  if (used.length > 0) {
    loadRows(session, used, values, cutter.mark);
    await session.run(sql`UPDATE rows SET referenced = l.referenced, respelled = l.respelled,
      inline_example = l.inline_example, text_bytes = coalesce(rows.text_bytes, l.text_bytes)
      FROM loaded('rows') AS l WHERE rows.row_key = l.row_key`);
  }
  const valued = [...values.keys()].filter((row) => !created.has(row));
  if (valued.length > 0) {
    loadRows(session, valued, values, cutter.mark);
    await session.run(sql`UPDATE rows SET val = l.val, text_bytes = coalesce(l.text_bytes, CASE WHEN
      starts_with(rows.inline_example, ${text(`"${cutter.mark}`)}) THEN rows.text_bytes END)
      FROM loaded('rows') AS l WHERE rows.row_key = l.row_key`);
  }
  await removeTexts(session, gone);
}

/** New values of rows, and keys of the texts of those that they replace. */
async function changedValues(
  session: FileSession,
  { mark, pending }: TextCutter,
  values: RowChanges["values"],
) {
  const written = [...values.values()].filter((val) => val.startsWith(`"${mark}`));
  if (values.size === 0) return { written, gone: [] };
  session.load("valued_rows", [
    { name: "row_key", type: "INTEGER", values: [...values.keys()].map((row) => row.key) },
  ]);
  const before = await session.rows(sql`SELECT val FROM rows WHERE text_bytes IS NOT NULL
    AND starts_with(val, ${text(`"${mark}`)}) AND row_key IN (SELECT row_key FROM loaded('valued_rows'))`);
  const kept = new Set(written.flatMap((val) => keysOfStubs(mark, val)).filter((key) => !pending.has(key)));
  const gone = before.flatMap(([val]) => keysOfStubs(mark, String(val))).filter((key) => !kept.has(key));
  return { written, gone };
}

function loadRows(
  session: FileSession,
  rows: readonly RowEntry[],
  values: RowChanges["values"],
  mark: string,
): void {
  const texts = rows.map((row) => values.get(row) ?? row.inlineExample);
  session.load("rows", [
    { name: "row_key", type: "INTEGER", values: rows.map((row) => row.key) },
    { name: "project_key", type: "INTEGER", values: rows.map((row) => row.projectKey) },
    { name: "referenced", type: "BOOLEAN", values: rows.map((row) => row.referenced) },
    { name: "respelled", type: "BOOLEAN", values: rows.map((row) => row.respelled) },
    { name: "digest", type: "VARCHAR", values: rows.map((row) => row.digest) },
    { name: "inline_example", type: "VARCHAR", values: rows.map((row) => row.inlineExample) },
    { name: "val", type: "VARCHAR", values: rows.map((row) => values.get(row) ?? null) },
    {
      name: "text_bytes",
      type: "BIGINT",
      values: texts.map((one) => (one === null ? null : bytesOfStubs(mark, one))),
    },
  ]);
}

/** What of a stub tells the text; another text as it is. */
function hashPart(mark: string, val: string): string {
  return val.startsWith(`"${mark}`) ? val.slice(0, mark.length + 34) : val;
}

/** Compares values in the database: they may be long. */
export async function compareRows<Value extends RowValue>(
  session: FileSession,
  mark: string,
  stored: readonly Value[],
): Promise<(Value & { same: boolean; firstSame: boolean })[]> {
  if (stored.length === 0) return [];
  // Equal long texts have stubs that begin alike.
  const comparable = (val: string) => hashPart(mark, val);
  const own = sql`CASE WHEN starts_with(val, ${text(`"${mark}`)})
    THEN left(val, ${integer(mark.length + 34)}) ELSE val END`;
  session.load("dataset_rows", [
    { name: "position", type: "INTEGER", values: stored.map((_, i) => i) },
    { name: "row_key", type: "INTEGER", values: stored.map(({ row }) => row.key) },
    { name: "val", type: "VARCHAR", values: stored.map(({ val }) => comparable(val)) },
    {
      name: "first_val",
      type: "VARCHAR",
      values: stored.map(({ firstVal }) => (firstVal === null ? null : comparable(firstVal))),
    },
  ]);
  // Only the rows of the batch may enter the join: DuckDB may keep either side of it in memory.
  const compared = await session.rows(sql`SELECT l.position, r.val IS NOT DISTINCT FROM l.val,
      r.val IS NOT DISTINCT FROM coalesce(l.first_val, l.val)
    FROM loaded('dataset_rows') AS l JOIN (SELECT row_key, ${own} AS val FROM rows
      WHERE row_key IN (SELECT row_key FROM loaded('dataset_rows'))) AS r USING (row_key)`);
  return compared.flatMap(([position, same, firstSame]) => {
    const one = stored[Number(position)];
    return one === undefined ? [] : [{ ...one, same: same === true, firstSame: firstSame === true }];
  });
}
