import { DataType, DateUnit, UnionMode, type Data } from "apache-arrow";
import { ArrowFault } from "../arrow-fault.ts";

/** The start of value `i`, in bytes or items: the end of value `i - 1`. */
export type Offsets = (i: number) => number;

/** The offsets of a column of varying lengths, 32 or 64 bits wide. */
export function offsetsOf(data: Data): Offsets {
  const offsets: unknown = data.valueOffsets;
  if (offsets instanceof Int32Array) return (i) => offsets[i] ?? -1;
  if (!(offsets instanceof BigInt64Array)) throw new ArrowFault("has no offsets");
  const words = new Int32Array(offsets.buffer, offsets.byteOffset, offsets.length * 2);
  return (i) => ((words[2 * i] ?? 0) >>> 0) + (words[2 * i + 1] ?? -1) * 2 ** 32;
}

/** Tells whether value `i` is present; null when all are. A union has no validity of its own: its members decide. */
export function validityReader(data: Data): ((i: number) => boolean) | null {
  const { nullBitmap: bits, offset } = data;
  if (DataType.isUnion(data.type) || DataType.isNull(data.type)) return null;
  if (bits === undefined || bits === null || bits.length === 0 || data.nullCount === 0) return null;
  return (i) => (((bits[(offset + i) >> 3] ?? 0) >> ((offset + i) & 7)) & 1) === 1;
}

/** Throws {@link ArrowFault} where a buffer is shorter than its column needs. */
export function checkBuffers(data: Data, place: string): void {
  const { length, offset, type } = data;
  const fault = (what: string): never => {
    throw new ArrowFault(`column ${place}: ${what} shorter than its ${length} values`);
  };
  const bits = Math.ceil((offset + length) / 8);
  if (data.nullBitmap instanceof Uint8Array && data.nullBitmap.length > 0 && data.nullBitmap.length < bits)
    fault("the null bitmap is");
  if (bytesOf(data.values) < valueBytes(data)) fault("the values are");
  if (hasOffsets(data) && length > 0 && (data.valueOffsets as ArrayLike<unknown>).length < length + 1)
    fault("the offsets are");
  if (DataType.isUnion(type)) {
    if (bytesOf(data.typeIds) < length) fault("the type ids are");
    if (type.mode === UnionMode.Dense && bytesOf(data.valueOffsets) < 4 * length) fault("the offsets are");
  }
  const least = childLength(data);
  for (const [i, child] of data.children.entries()) {
    if (child.length < least) fault("a member is");
    checkBuffers(child, `${place}.${type.children[i]?.name || i}`);
  }
  if (data.dictionary !== undefined) for (const part of data.dictionary.data) checkBuffers(part, place);
}

function bytesOf(view: unknown): number {
  return ArrayBuffer.isView(view) ? view.byteLength : 0;
}

function hasOffsets({ type }: Data): boolean {
  return (
    DataType.isUtf8(type) ||
    DataType.isLargeUtf8(type) ||
    DataType.isBinary(type) ||
    DataType.isLargeBinary(type) ||
    DataType.isList(type) ||
    DataType.isLargeList(type) ||
    DataType.isMap(type)
  );
}

/** The length that the children of a column must have. */
function childLength({ type, length }: Data): number {
  if (DataType.isStruct(type)) return length;
  if (DataType.isFixedSizeList(type)) return length * type.listSize;
  return DataType.isUnion(type) && type.mode === UnionMode.Sparse ? length : 0;
}

/** The bytes that a column of fixed-width values must have. */
function valueBytes({ type, length, offset }: Data): number {
  if (DataType.isBool(type)) return Math.ceil((offset + length) / 8);
  if (DataType.isBinaryView(type) || DataType.isUtf8View(type)) return 16 * length;
  return (length * bitWidth(type)) / 8;
}

function bitWidth(type: DataType): number {
  if (DataType.isInt(type) || DataType.isDecimal(type) || DataType.isTime(type)) return type.bitWidth;
  if (DataType.isFloat(type)) return [16, 32, 64][type.precision] ?? 64;
  if (DataType.isDate(type)) return type.unit === DateUnit.DAY ? 32 : 64;
  if (DataType.isTimestamp(type) || DataType.isDuration(type)) return 64;
  if (DataType.isInterval(type)) return [32, 64, 128][type.unit] ?? 128;
  if (DataType.isFixedSizeBinary(type)) return type.byteWidth * 8;
  return DataType.isDictionary(type) ? bitWidth(type.indices) : 0;
}
