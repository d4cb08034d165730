import { Data, type Utf8View } from "apache-arrow";
import type { ColumnValues } from "../../store/columns.ts";
import { validityOfPresent } from "../bits.ts";
import { SHORT_TEXT, VIEW_BYTES } from "../views/text-views.ts";

type Buffers = readonly Uint8Array<ArrayBuffer>[];

/** Places in a buffer have 31 bits. */
const MOST_BYTES = 0x7fffffff;
/** A slice of so small a part of its column takes its texts along. */
const SMALL_PART = 1 / 16;

/**
 * A column of text views. Its slices begin at 0: the IPC writer of apache-arrow 21.2 looks for the views of one that
 * begins elsewhere as far again behind it. A small slice has its texts for itself, so that it neither keeps those of the whole
 * column nor writes them.
 */
export class TextViewData extends Data<Utf8View> {
  /** How many views there are of the buffers. */
  readonly #sharing: number;

  constructor(type: Utf8View, values: ColumnValues, sharing = values.length) {
    const { length, nulls, validity, bytes, buffers = [] } = values;
    const views = { 1: bytes ?? new Uint8Array(0), ...(validity === null ? {} : { 2: validity }) };
    super(type, 0, length, nulls, views, [], undefined, buffers);
    this.#sharing = sharing;
  }

  override slice(offset: number, length: number): TextViewData {
    const views = this.values as Uint8Array<ArrayBuffer>;
    const bytes = views.subarray(VIEW_BYTES * offset, VIEW_BYTES * (offset + length));
    const validity =
      this.nullCount === 0
        ? { nulls: 0, validity: null }
        : validityOfPresent(bitsFrom(this.nullBitmap, offset, length), length);
    const part = { length, ...validity, offsets: null, children: [] };
    const buffers = this.variadicBuffers as Buffers;
    if (length > this.#sharing * SMALL_PART)
      return new TextViewData(this.type, { ...part, bytes, buffers }, this.#sharing);
    return new TextViewData(this.type, { ...part, ...ownTexts(bytes, buffers) });
  }
}

function bitsFrom(bits: Uint8Array, offset: number, length: number): Uint8Array<ArrayBuffer> {
  const cut = new Uint8Array((length + 7) >> 3);
  for (let i = 0, from = offset >> 3; i < cut.length; i++, from++) {
    cut[i] = ((bits[from] ?? 0) | ((bits[from + 1] ?? 0) << 8)) >> (offset & 7);
  }
  const last = length & 7;
  if (last > 0) cut[cut.length - 1] = (cut[cut.length - 1] ?? 0) & ((1 << last) - 1);
  return cut;
}

/** The views, pointing to copies of their texts, which lie in one buffer. */
function ownTexts(
  shared: Uint8Array,
  buffers: Buffers,
): { readonly bytes: Uint8Array<ArrayBuffer>; readonly buffers: Buffers } {
  const bytes = Uint8Array.from(shared);
  const words = new Int32Array(bytes.buffer);
  let total = 0;
  for (let at = 0; at < words.length; at += 4) total += longLength(words, at);
  if (total > MOST_BYTES) return { bytes, buffers };
  const texts = new Uint8Array(total);
  let end = 0;
  for (let at = 0; at < words.length; at += 4) {
    const length = longLength(words, at);
    if (length === 0) continue;
    const [buffer = 0, start = 0] = words.subarray(at + 2, at + 4);
    texts.set(buffers[buffer]?.subarray(start, start + length) ?? [], end);
    words[at + 2] = 0;
    words[at + 3] = end;
    end += length;
  }
  return { bytes, buffers: total === 0 ? [] : [texts] };
}

/** The length of a text that is not in its view, else 0. */
function longLength(words: Int32Array, at: number): number {
  const length = words[at] ?? 0;
  return length > SHORT_TEXT ? length : 0;
}
