import { type Key, rowDigest } from "../../model/digest.ts";
import { parseJson } from "../../model/json.ts";
import type { TurnTaker } from "../../model/turns.ts";
import type { HashFilter } from "../lookup/hash-filter.ts";
import type { Example } from "../record/call.ts";
import { identity } from "../keys/catalog.ts";
import type { ParsedRow } from "../record/dataset-row-record.ts";

/** A dataset row as the writer knows it; see the table `rows`. */
export interface RowEntry {
  readonly key: Key;
  readonly projectKey: number;
  readonly digest: string;
  inlineExample: string | null;
  referenced: boolean;
  respelled: boolean;
  /** Whether a trial changed how the row is spelled since it was read: what is committed may not say so yet. */
  isSpelledAnew: boolean;
}

/** A row of which nothing is known but its name. */
export function newRow(key: Key, projectKey: number, digest: string): RowEntry {
  return {
    key,
    projectKey,
    digest,
    inlineExample: null,
    referenced: false,
    respelled: false,
    isSpelledAnew: false,
  };
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
  /**
   * Rows that the current load created or spelled anew and that are not in `byDigest` any more; null where there are
   * none.
   */
  dropped: HashFilter | null;
}

export function createRowCache(bytes: number, size = 200_000): RowCache {
  return { byDigest: new Map(), digests: new Map(), size, bytes, held: 0, firstKey: 1, dropped: null };
}

/** What the maps hold of a row beside its example. */
const ENTRY_BYTES = 270;

/** About how many bytes the maps hold of a row. */
export function heldBytes(example: string | null): number {
  return ENTRY_BYTES + (example?.length ?? 0);
}

/** The digest of what a trial's row holds. */
export function contentDigest(cache: RowCache, example: Example): string {
  if (example.reference !== null) return example.reference.digest;
  if (example.digest !== null) return example.digest;
  const known = cache.digests.get(example.text);
  if (known !== undefined) return known;
  const digest = rowDigest(parseJson(example.text));
  if (cache.digests.size >= cache.size) cache.digests.clear();
  cache.digests.set(example.text, digest);
  cache.held += heldBytes(example.text);
  return digest;
}

/** A row by name. */
export interface RowName {
  readonly projectKey: number;
  readonly digest: string;
}

/** The dataset rows that are stored. */
export interface StoredRows {
  readonly cache: RowCache;
  readonly turns: TurnTaker;
  /** The key of a project; a new project gets one. */
  readonly projectKey: (projectId: string) => number | Promise<number>;
  /** Finds or creates the rows of these names, by identity. */
  readonly resolve: (
    wanted: ReadonlyMap<string, RowName>,
    changes: RowChanges,
  ) => Promise<ReadonlyMap<string, RowEntry>>;
  /** The value of a row as it is stored: a stub instead of a long one; absent where all are stored as they are. */
  readonly cut?: ((row: RowName, val: string) => string) | undefined;
  /** Compares values of rows with those that are stored. */
  readonly compare: <Value extends RowValue>(
    values: readonly Value[],
  ) => Promise<readonly (Value & { readonly same: boolean; readonly firstSame: boolean })[]>;
}

/** The last value that a batch has for a row, and its first one where that is another. */
export interface RowValue {
  readonly row: RowEntry;
  readonly val: string;
  readonly firstVal: string | null;
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
    row.isSpelledAnew = true;
    return true;
  }
  if (row.inlineExample === example.text || row.respelled) return false;
  row.respelled = true;
  row.isSpelledAnew = true;
  return true;
}

/** Whether a record added or changed something. */
type RowOutcome = "stored" | "unchanged";

/** Notes dataset rows in `changes`; of several with one digest, the last. Returns what each record did. */
export async function noteDatasetRows(
  stored: StoredRows,
  records: readonly ParsedRow[],
  changes: RowChanges,
): Promise<RowOutcome[]> {
  const { latest, outcomes } = await latestRows(stored, records);
  const rows = await stored.resolve(latest, changes);
  const values: (RowValue & { readonly first: number })[] = [];
  for (const [id, { val, first, firstVal }] of latest) {
    const row = rows.get(id);
    if (row === undefined) continue;
    if (changes.created.has(row)) changes.values.set(row, val);
    else values.push({ row, val, first, firstVal });
  }
  for (const { row, val, first, same, firstSame } of await stored.compare(values)) {
    if (!same) changes.values.set(row, val);
    if (firstSame) outcomes[first] = "unchanged";
  }
  return outcomes;
}

/** The last record of a digest. */
interface LatestRow extends ParsedRow, RowName {
  /** Index of the first record of the digest. */
  readonly first: number;
  /** The value of the first record where the last has another one. */
  readonly firstVal: string | null;
}

/** The last record of each digest, and what each record did if the first of each digest did something. */
async function latestRows(
  stored: StoredRows,
  records: readonly ParsedRow[],
): Promise<{ readonly latest: Map<string, LatestRow>; readonly outcomes: RowOutcome[] }> {
  const latest = new Map<string, LatestRow>();
  const outcomes: RowOutcome[] = [];
  for (const [i, sent] of records.entries()) {
    const known = stored.projectKey(sent.projectId);
    const key = typeof known === "number" ? known : await known;
    const val = stored.cut?.({ projectKey: key, digest: sent.digest }, sent.val) ?? sent.val;
    const record = { ...sent, val };
    const id = identity(key, record.digest);
    const earlier = latest.get(id);
    outcomes.push(earlier?.val === record.val ? "unchanged" : "stored");
    const firstVal = earlier === undefined ? record.val : (earlier.firstVal ?? earlier.val);
    latest.set(id, {
      ...record,
      projectKey: key,
      first: earlier?.first ?? i,
      firstVal: firstVal === record.val ? null : firstVal,
    });
  }
  return { latest, outcomes };
}
