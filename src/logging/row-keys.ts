import { lengthened } from "../bytes/growing.ts";
import { EvalcubeError } from "../errors.ts";
import { MOST_IN_KEY } from "../ingest/record/call.ts";
import { keyDigest } from "../model/digest.ts";
import { splitFieldPath } from "../model/field-path.ts";
import { at, type Json } from "../model/json.ts";
import { shown } from "../model/messages.ts";
import { digestOf } from "./call-records.ts";
import { createRowNumbers, hashWords, rowNumber, type RowNumbers } from "./trial-book.ts";

/**
 * The key of a row, a text of at most 200 characters or a number: a field of the row (`id`, `meta.id`), or a function
 * of it. A row whose key stays is the same row, whatever is edited in it.
 */
export type RowKey<Row> = string | ((row: Row) => number | string);

/** The keys of the rows of an evaluation, and what each stands for. */
export interface RowKeys {
  readonly rowKey: RowKey<never>;
  readonly numbers: RowNumbers;
  /** By number of the key: two words of the hash of its row, and the place of that, from 1. */
  words: Uint32Array<ArrayBuffer>;
  places: Uint32Array<ArrayBuffer>;
}

const FIRST_KEYS = 512;

export function createRowKeys(rowKey: RowKey<never> | undefined): RowKeys | null {
  if (rowKey === undefined) return null;
  const [words, places] = [new Uint32Array(FIRST_KEYS * 2), new Uint32Array(FIRST_KEYS)];
  return { rowKey, numbers: createRowNumbers(), words, places };
}

/** The key of a row, null where rows have none, and the digest by which its trials meet; see {@link keyOfRow}. */
export function identifyRow(keys: RowKeys | null, row: unknown, stored: Json, place?: number) {
  if (keys === null) return { rowKey: null, digest: digestOf(stored) };
  const rowKey = keyOfRow(keys, row, stored, place);
  return { rowKey, digest: keyDigest(rowKey) };
}

/**
 * The key of a row, as a text. `place`: which row of the data it is, from 1; default: which that is not known yet.
 * Throws `invalid_value` where it is none, or that of another row.
 */
function keyOfRow(keys: RowKeys, row: unknown, stored: Json, place?: number): string {
  const { rowKey, numbers } = keys;
  const found = typeof rowKey === "string" ? fieldOf(stored, rowKey) : rowKey(row as never);
  const here = place ?? numbers.count + 1;
  if (!isKey(found)) throw invalid(`rowKey gave ${shown(found)} for row ${here}; give a text or a number`);
  const key = String(found).toWellFormed();
  if (key.length > MOST_IN_KEY)
    throw invalid(`rowKey gave ${shown(found)} for row ${here}; a key has at most ${MOST_IN_KEY} characters`);
  const isNew = numbers.count;
  const number = rowNumber(numbers, key);
  const [first = 0, second = 0] = hashWords(digestOf(stored));
  if (number === isNew) note(keys, number, [first, second], here);
  else if (keys.words[2 * number] !== first || keys.words[2 * number + 1] !== second)
    throw invalid(`rowKey gave ${shown(found)} for rows ${keys.places[number]} and ${here}, which differ`);
  return key;
}

function note(keys: RowKeys, number: number, words: readonly number[], place: number): void {
  if (number >= keys.places.length) {
    keys.words = lengthened(keys.words);
    keys.places = lengthened(keys.places);
  }
  keys.words.set(words, 2 * number);
  keys.places[number] = place;
}

/** A member of exactly this name counts before a path. */
function fieldOf(row: Json, field: string): unknown {
  return at(row, field) ?? at(row, ...splitFieldPath(field));
}

function isKey(value: unknown): value is string | number | bigint {
  return typeof value === "string" || typeof value === "bigint" || Number.isFinite(value);
}

function invalid(message: string): EvalcubeError {
  return new EvalcubeError("invalid_value", message);
}
