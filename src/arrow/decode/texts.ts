import { isAscii, isUtf8 } from "node:buffer";
import { DataType, type Data } from "apache-arrow";
import { UnwritableJson } from "../../model/json.ts";
import { offsetsOf, validityReader } from "./check-buffers.ts";

/** The bytes of value `i`; throws {@link UnwritableJson} where they lie outside of the buffer. */
export type Bytes = (i: number) => Buffer;
/** Value `i`; null when there is none. */
export type Text = (i: number) => string | null;

/** The values of a column of bytes or text; null for any other column. */
export function bytesReader(data: Data): Bytes | null {
  const { type } = data;
  if (DataType.isFixedSizeBinary(type)) {
    const bytes = asBuffer(data.values as Uint8Array);
    return (i) => bytes.subarray(i * type.byteWidth, (i + 1) * type.byteWidth);
  }
  if (DataType.isUtf8View(type) || DataType.isBinaryView(type)) return viewReader(data);
  if (!isVarying(type)) return null;
  const bytes = asBuffer(data.values as Uint8Array);
  const offset = offsetsOf(data);
  return (i) => {
    const from = offset(i);
    const to = offset(i + 1);
    if (!(from >= 0 && from <= to && to <= bytes.length)) throw outOfBuffer();
    return bytes.subarray(from, to);
  };
}

function isVarying(type: DataType): boolean {
  return (
    DataType.isUtf8(type) ||
    DataType.isLargeUtf8(type) ||
    DataType.isBinary(type) ||
    DataType.isLargeBinary(type)
  );
}

const INLINE_BYTES = 12;

/** A view has a length, then the bytes themselves or where they lie. */
function viewReader(data: Data): Bytes {
  const views = asBuffer(data.values as Uint8Array);
  const buffers = data.variadicBuffers.map(asBuffer);
  return (i) => {
    const at = i * 16;
    const length = views.readInt32LE(at);
    if (length >= 0 && length <= INLINE_BYTES) return views.subarray(at + 4, at + 4 + length);
    const buffer = buffers[views.readInt32LE(at + 8)];
    const from = views.readInt32LE(at + 12);
    if (buffer === undefined || length < 0 || from < 0 || from + length > buffer.length) throw outOfBuffer();
    return buffer.subarray(from, from + length);
  };
}

/** Whether a column holds text: UTF-8, also through a dictionary. */
export function isText(type: DataType): boolean {
  if (DataType.isDictionary(type)) return isText(type.dictionary as DataType);
  return DataType.isUtf8(type) || DataType.isLargeUtf8(type) || DataType.isUtf8View(type);
}

/** Whether a column holds bytes of any length, also through a dictionary. */
export function isBytes(type: DataType): boolean {
  if (DataType.isDictionary(type)) return isBytes(type.dictionary as DataType);
  return DataType.isBinary(type) || DataType.isLargeBinary(type) || DataType.isBinaryView(type);
}

/** The values of a column of text, or of bytes that are UTF-8; throws {@link UnwritableJson} on others. */
export function textReader(data: Data): Text {
  if (DataType.isDictionary(data.type)) return dictionaryReader(data, textReader, null);
  const read = DataType.isUtf8(data.type) ? blockReader(data) : singleReader(data);
  const valid = validityReader(data);
  return valid === null ? read : (i) => (valid(i) ? read(i) : null);
}

function singleReader(data: Data): (i: number) => string {
  const bytes = bytesReader(data);
  if (bytes === null) throw new TypeError("not a column of text");
  return (i) => decode(bytes(i));
}

function decode(bytes: Buffer): string {
  const text = bytes.toString("utf8");
  // Invalid bytes decode to U+FFFD, which a valid text may hold too.
  if (text.includes("\uFFFD") && !isUtf8(bytes)) throw new UnwritableJson([], "is not UTF-8");
  return text;
}

const BLOCK_BYTES = 32 * 1024;

/** Decodes neighbouring values at once where they are ASCII. */
function blockReader(data: Data): (i: number) => string {
  const single = singleReader(data);
  const offset = offsetsOf(data);
  const bytes = asBuffer(data.values as Uint8Array);
  let from = 0;
  let to = 0;
  let base = 0;
  let block: string | null = null;
  const load = (i: number) => {
    from = i;
    to = i;
    base = offset(i);
    let end = base;
    for (let next = offset(to + 1); to < data.length; next = offset(to + 1)) {
      if (!(next >= end && next <= bytes.length && next - base <= BLOCK_BYTES)) break;
      end = next;
      to++;
    }
    const part = bytes.subarray(Math.max(base, 0), Math.max(end, 0));
    block = to > from && base >= 0 && isAscii(part) ? part.toString("latin1") : null;
    to = Math.max(to, i + 1);
  };
  return (i) => {
    if (i < from || i >= to) load(i);
    return block === null ? single(i) : block.slice(offset(i) - base, offset(i + 1) - base);
  };
}

/** Values of a dictionary are kept once read if it has at most so many. */
const KEPT_VALUES = 65_536;

/** Reads through a dictionary: `value` makes the reader of a part; nulls become `none`. */
export function dictionaryReader<T>(
  data: Data,
  value: (part: Data) => (i: number) => T,
  none: T,
): (i: number) => T {
  const parts = (data.dictionary?.data ?? []).map((part) => ({ length: part.length, read: value(part) }));
  const count = parts.reduce((sum, part) => sum + part.length, 0);
  const kept: T[] | null = count <= KEPT_VALUES ? [] : null;
  const keys = data.values as ArrayLike<number | bigint>;
  const valid = validityReader(data);
  const lookUp = (key: number): T => {
    let at = key;
    for (const part of parts) {
      if (at >= 0 && at < part.length) return part.read(at);
      at -= part.length;
    }
    throw new UnwritableJson([], `has the key ${key}, which its dictionary of ${count} values has not`);
  };
  return (i) => {
    if (valid !== null && !valid(i)) return none;
    const key = Number(keys[i] ?? -1);
    if (kept === null) return lookUp(key);
    return (kept[key] ??= lookUp(key));
  };
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function outOfBuffer(): UnwritableJson {
  return new UnwritableJson([], "lies outside of its buffer");
}
