import type { ColumnBatch, ColumnValues } from "../../store/columns.ts";
import type { FileSession } from "../../store/session.ts";
import { constant, sql, statement, type Sql } from "../../store/sql.ts";
import {
  createHashFilter,
  layerWords,
  sharedWords,
  type HashFilter,
  type HashLayer,
} from "../../ingest/lookup/hash-filter.ts";
import type { IdentityHash } from "../../ingest/lookup/identity-hash.ts";
import type { TurnTaker } from "../../model/turns.ts";

/** Filters of the hashes of all calls up to `toKey`, and of their parents. */
interface SavedFilters {
  readonly ids: HashFilter;
  readonly parents: HashFilter;
  readonly toKey: number;
}

/** The last key that the filters in the database cover; 0 where there are none. */
export async function savedKey(session: FileSession): Promise<number> {
  const [coverage] = await session.rows(sql`SELECT to_key FROM hash_coverage`);
  return Number(coverage?.[0] ?? 0);
}

/** The filters in the database; null where there are none, or where a layer is missing. */
export async function readFilters(session: FileSession, turns: TurnTaker): Promise<SavedFilters | null> {
  const [coverage] = await session.rows(sql`SELECT to_key, layers FROM hash_coverage`);
  if (coverage === undefined) return null;
  const found: HashLayer[][] = [[], []];
  const query = sql`SELECT kind, layer, capacity, used, words FROM hash_layers`;
  for await (const batch of (await session.vectors(statement(query, session.dialect))).batches)
    placeLayers(found, batch);
  const [ids = [], parents = []] = found;
  if (!areWhole(ids) || !areWhole(parents)) return null;
  if (ids.length + parents.length !== Number(coverage[1])) return null;
  const filters = { ids: createHashFilter(0, ids), parents: createHashFilter(0, parents) };
  await addHashes(session, sql`SELECT parent_hash FROM moved_parents`, [filters.parents], turns);
  return { ...filters, toKey: Number(coverage[0]) };
}

function placeLayers(found: readonly HashLayer[][], { columns, length }: ColumnBatch): void {
  const [kinds, layers, capacities, used] = columns.slice(0, 4).map(({ bytes }) => wordsOf(bytes));
  const { bytes, offsets } = columns[4] ?? {};
  for (let i = 0; i < length; i++) {
    const of = found[kinds?.[i] ?? 0];
    const start = offsets?.[i] ?? 0;
    if (of === undefined || layers?.[i] === undefined) continue;
    const read = wordsOf(bytes?.subarray(start, offsets?.[i + 1]) ?? null);
    const words = sharedWords(read.length);
    words.set(read);
    of[layers[i] ?? 0] = {
      words,
      capacity: capacities?.[i] ?? 0,
      used: used?.[i] ?? 0,
    };
  }
}

function wordsOf(bytes: Uint8Array<ArrayBuffer> | null): Int32Array<ArrayBuffer> {
  if (bytes === null) return new Int32Array();
  return new Int32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 2);
}

function areWhole(layers: readonly (HashLayer | undefined)[]): boolean {
  return layers.length > 0 && Array.from(layers).every(isWhole);
}

function isWhole(layer: HashLayer | undefined): boolean {
  return layer !== undefined && layer.capacity > 0 && layer.words.length === layerWords(layer.capacity);
}

/** Replaces the filters in the database; the new ones cover the calls of this transaction too. */
export async function writeFilters(
  session: FileSession,
  { ids, parents }: Pick<SavedFilters, "ids" | "parents">,
): Promise<void> {
  await session.run(sql`DROP TABLE hash_layers`);
  await session.run(sql`CREATE TABLE hash_layers (kind INTEGER NOT NULL, layer INTEGER NOT NULL,
    capacity INTEGER NOT NULL, used INTEGER NOT NULL, words BLOB NOT NULL)`);
  for (const [kind, { layers }] of [ids, parents].entries())
    for (const [n, layer] of layers.entries()) await writeLayer(session, kind, n, layer);
  session.load("layer", []);
  await session.run(sql`DELETE FROM moved_parents`);
  await session.run(sql`DELETE FROM hash_coverage`);
  await session.run(sql`INSERT INTO hash_coverage
    SELECT coalesce(max(call_key), 0), (SELECT count(*) FROM hash_layers) FROM calls`);
}

async function writeLayer(session: FileSession, kind: number, n: number, layer: HashLayer): Promise<void> {
  const { buffer, byteOffset, byteLength } = layer.words;
  session.load("layer", [
    { name: "kind", type: "INTEGER", values: [kind] },
    { name: "layer", type: "INTEGER", values: [n] },
    { name: "capacity", type: "INTEGER", values: [layer.capacity] },
    { name: "used", type: "INTEGER", values: [layer.used] },
    { name: "words", type: "BLOB", values: [new Uint8Array(buffer, byteOffset, byteLength)] },
  ]);
  await session.run(
    sql`INSERT INTO hash_layers SELECT kind, layer, capacity, used, words FROM loaded('layer')`,
  );
}

/** How many stored calls or parents are missing in the filters of the database: such a call could be stored twice. */
export async function countUnfiltered(session: FileSession, turns: TurnTaker): Promise<number> {
  const saved = await readFilters(session, turns);
  if (saved === null) return 0;
  const filters = [saved.ids, saved.parents];
  const query = sql`SELECT id_hash, parent_hash FROM calls WHERE call_key <= ${constant(saved.toKey)}`;
  let count = 0;
  const { batches } = await session.vectors(statement(query, session.dialect));
  for await (const { columns } of batches)
    for (const [i, filter] of filters.entries())
      await eachHash(columns[i], turns, (hash) => {
        if (!filter.has(hash)) count++;
      });
  return count;
}

/** Adds the hashes that a query selects, column n to filter n; nulls are skipped. */
export async function addHashes(
  session: FileSession,
  query: Sql,
  filters: readonly HashFilter[],
  turns: TurnTaker,
): Promise<void> {
  const { batches } = await session.vectors(statement(query, session.dialect));
  for await (const { columns } of batches)
    for (const [i, filter] of filters.entries()) await eachHash(columns[i], turns, filter.add);
}

async function eachHash(
  column: ColumnValues | undefined,
  turns: TurnTaker,
  visit: (hash: IdentityHash) => void,
): Promise<void> {
  if (column === undefined) return;
  const words = wordsOf(column.bytes);
  const { validity, length } = column;
  for (let i = 0; i < length; i++) {
    if (turns.shouldYield()) await turns.next();
    if (validity !== null && ((validity[i >> 3] ?? 0) & (1 << (i & 7))) === 0) continue;
    visit({ low: words[i * 2] ?? 0, high: words[i * 2 + 1] ?? 0 });
  }
}
