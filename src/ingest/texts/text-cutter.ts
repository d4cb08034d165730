import { hash } from "node:crypto";
import type { Column } from "../../store/session.ts";
import { isLong } from "../record/record-text.ts";
import { headOf, keysOfStubs, MOST_INLINE_BYTES, writeStub, type Stub } from "../../model/text-stubs.ts";

/** Cuts long texts out of the records of a load. */
export interface TextCutter {
  readonly mark: string;
  readonly newKey: () => number;
  /** Texts of the batch that are yet to be written, by key. */
  readonly pending: Map<number, Uint8Array>;
  /** Texts of the batch that belong to rows, by project and row. */
  readonly ofRows: Map<string, Pick<Stub, "key" | "hash">>;
}

export function createTextCutter(mark: string, newKey: () => number): TextCutter {
  return { mark, newKey, pending: new Map(), ofRows: new Map() };
}

export function hashOf(bytes: Uint8Array): string {
  return hash("sha256", bytes, "hex").slice(0, 32);
}

/** Keeps a text to be written; returns its stub. */
export function keepText(
  { newKey, pending }: TextCutter,
  bytes: Uint8Array,
  known: Pick<Stub, "key" | "hash"> | null = null,
): Stub {
  const digits = hashOf(bytes);
  const isKnown = known?.hash === digits;
  const key = isKnown ? known.key : newKey();
  if (!isKnown) pending.set(key, bytes);
  return {
    key,
    bytes: bytes.length,
    hash: digits,
    compact: null,
    digest: null,
    head: headOf(bytes),
    line: null,
  };
}

/** The stub of the value of a dataset row; the value where it is short. */
export function cutValue(cutter: TextCutter, row: string, value: string): string {
  if (!isLong(value)) return value;
  const known = cutter.ofRows.get(row) ?? null;
  const stub = keepText(cutter, Buffer.from(value), known);
  cutter.ofRows.set(row, stub);
  return writeStub(cutter.mark, stub);
}

/** Pieces of at most 4,096 bytes that end between characters. */
function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0, end = 0; at < bytes.length; at = end) {
    end = Math.min(bytes.length, at + MOST_INLINE_BYTES);
    while (end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
    yield bytes.subarray(at, end);
  }
}

/** Takes the texts that records name out of the pending ones, as columns of `pieces`; null where there are none. */
export function takePieces({ mark, pending }: TextCutter, records: Iterable<string>): Column[] | null {
  if (pending.size === 0) return null;
  const keys: number[] = [];
  const numbers: number[] = [];
  const texts: Uint8Array[] = [];
  for (const record of records)
    for (const key of keysOfStubs(mark, record)) {
      const bytes = pending.get(key);
      if (bytes === undefined) continue;
      pending.delete(key);
      let number = 0;
      for (const piece of piecesOf(bytes)) {
        keys.push(key);
        numbers.push(number++);
        texts.push(piece);
      }
    }
  if (keys.length === 0) return null;
  const order = keys.map((_, i) => i).toSorted((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0) || a - b);
  return [
    { name: "text_key", type: "BIGINT", values: order.map((i) => keys[i] ?? 0) },
    { name: "piece", type: "INTEGER", values: order.map((i) => numbers[i] ?? 0) },
    { name: "txt", type: "VARCHAR", values: order.map((i) => texts[i] ?? null) },
  ];
}

/** Forgets the texts of a batch that no record of it names. */
export function endTexts({ pending, ofRows }: TextCutter): void {
  pending.clear();
  ofRows.clear();
}
