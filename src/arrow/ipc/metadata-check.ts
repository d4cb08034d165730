import { MessageHeader } from "apache-arrow";
import { ArrowFault } from "../arrow-fault.ts";

/** What a slot of a metadata table refers to; numbers and strings need no check. */
type Part =
  | { readonly kind: "structs"; readonly size: number }
  | { readonly kind: "table" | "tables"; readonly of: Slots };
type Slots = ReadonlyMap<number, Part>;

// The slots of github.com/apache/arrow/tree/main/format: Schema.fbs, Message.fbs and File.fbs.
const NO_PARTS: Slots = new Map();
const METADATA: Part = { kind: "tables", of: NO_PARTS };
const FIELD = new Map<number, Part>([[6, METADATA]]);
FIELD.set(5, { kind: "tables", of: FIELD });
const SCHEMA: Slots = new Map<number, Part>([
  [1, { kind: "tables", of: FIELD }],
  [2, METADATA],
]);
const RECORD_BATCH: Slots = new Map<number, Part>([
  [1, { kind: "structs", size: 16 }],
  [2, { kind: "structs", size: 16 }],
  [4, { kind: "structs", size: 8 }],
]);
const DICTIONARY_BATCH: Slots = new Map([[1, { kind: "table", of: RECORD_BATCH }]]);
const FOOTER: Slots = new Map<number, Part>([
  [1, { kind: "table", of: SCHEMA }],
  [2, { kind: "structs", size: 24 }],
  [3, { kind: "structs", size: 24 }],
]);
const HEADERS: ReadonlyMap<number, Slots> = new Map([
  [MessageHeader.Schema, SCHEMA],
  [MessageHeader.DictionaryBatch, DICTIONARY_BATCH],
  [MessageHeader.RecordBatch, RECORD_BATCH],
]);

/** Throws {@link ArrowFault} where metadata claims lists longer than the message; a reader would allocate them. */
export function checkMessage(bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const message = reach(view, 0);
  const typeAt = slot(view, message, 1);
  const header = HEADERS.get(typeAt === null ? 0 : view.getUint8(typeAt)) ?? NO_PARTS;
  const parts: Slots = new Map<number, Part>([
    [2, { kind: "table", of: header }],
    [4, METADATA],
  ]);
  checkTable(view, message, parts, { tables: bytes.length }, 0);
}

/** The same for the footer of a file. */
export function checkFooter(bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  checkTable(view, reach(view, 0), FOOTER, { tables: bytes.length }, 0);
}

const MAX_DEPTH = 1000;

/** Tables may be shared, so the walk visits at most as many as could fit side by side. */
function checkTable(view: DataView, at: number, slots: Slots, left: { tables: number }, depth: number): void {
  if (--left.tables < 0 || depth > MAX_DEPTH) throw damaged();
  for (const [number, part] of slots) {
    const place = slot(view, at, number);
    if (place === null) continue;
    if (part.kind === "table") {
      checkTable(view, reach(view, place), part.of, left, depth + 1);
      continue;
    }
    const list = reach(view, place);
    const length = view.getUint32(list, true);
    const size = part.kind === "structs" ? part.size : 4;
    if (list + 4 + length * size > view.byteLength) throw damaged();
    if (part.kind === "structs") continue;
    for (let i = 0; i < length; i++)
      checkTable(view, reach(view, list + 4 + 4 * i), part.of, left, depth + 1);
  }
}

/** The target of the offset at `at`. */
function reach(view: DataView, at: number): number {
  const place = at + view.getInt32(at, true);
  if (place < 0 || place + 4 > view.byteLength) throw damaged();
  return place;
}

/** The position of a slot of a table; null where the table has no such slot. */
function slot(view: DataView, table: number, number: number): number | null {
  const index = table - view.getInt32(table, true);
  const entry = 4 + 2 * number;
  if (entry >= view.getInt16(index, true)) return null;
  const offset = view.getUint16(index + entry, true);
  return offset === 0 ? null : table + offset;
}

function damaged(): ArrowFault {
  return new ArrowFault("has metadata that is damaged");
}
