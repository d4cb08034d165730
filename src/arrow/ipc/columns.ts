import { Data, DataType, UnionMode, type Field, type Vector } from "apache-arrow";
import { ArrowFault } from "../arrow-fault.ts";

/** The columns that a message describes, in the order of the schema, parents before members. */
interface Layout {
  readonly nodes: readonly { readonly length: number; readonly nullCount: number }[];
  readonly variadicBufferCounts: readonly number[];
}

interface Remaining {
  readonly nodes: Iterator<Layout["nodes"][number]>;
  readonly buffers: Iterator<Uint8Array>;
  readonly variadicBufferCounts: Iterator<number>;
  readonly dictionaries: ReadonlyMap<number, Vector>;
  /** Before version 5 of the metadata, unions had a null bitmap. */
  readonly oldUnions: boolean;
}

/** The columns of a message, over its buffers, without a copy. */
export function readColumns(
  fields: readonly Field[],
  layout: Layout,
  buffers: readonly Uint8Array[],
  dictionaries: ReadonlyMap<number, Vector>,
  oldUnions: boolean,
): Data[] {
  const remaining = {
    nodes: layout.nodes.values(),
    buffers: buffers.values(),
    variadicBufferCounts: layout.variadicBufferCounts.values(),
    dictionaries,
    oldUnions,
  };
  return fields.map((field) => readColumn(field.type as DataType, remaining));
}

function next<T>(items: Iterator<T>): T {
  const item = items.next();
  if (item.done === true) throw new ArrowFault("has fewer buffers than the columns of its schema");
  return item.value;
}

function readColumn(type: DataType, from: Remaining): Data {
  const { length, nullCount } = next(from.nodes);
  if (DataType.isNull(type)) return new Data(type, 0, length, length);
  if (DataType.isUnion(type)) {
    if (from.oldUnions) next(from.buffers);
    const typeIds = view(Int8Array, next(from.buffers));
    const offsets = type.mode === UnionMode.Dense ? view(Int32Array, next(from.buffers)) : undefined;
    return new Data<DataType>(type, 0, length, 0, { 0: offsets, 3: typeIds }, readMembers(type, from));
  }
  const validity = next(from.buffers);
  const bitmap = nullCount === 0 ? new Uint8Array(0) : validity;
  const offsets = readOffsets(type, from);
  const isNested = type.children?.length > 0 && !DataType.isDictionary(type);
  if (isNested || DataType.isStruct(type))
    return new Data<DataType>(type, 0, length, nullCount, { 0: offsets, 2: bitmap }, readMembers(type, from));
  const values = readValues(type, next(from.buffers));
  const dictionary = DataType.isDictionary(type) ? from.dictionaries.get(type.id) : undefined;
  if (DataType.isDictionary(type) && dictionary === undefined)
    throw new ArrowFault(`lacks the dictionary ${type.id}`);
  const variadic = DataType.isUtf8View(type) || DataType.isBinaryView(type) ? readVariadic(from) : [];
  return new Data<DataType>(
    type,
    0,
    length,
    nullCount,
    { 0: offsets, 1: values, 2: bitmap },
    [],
    dictionary,
    variadic,
  );
}

function readMembers(type: DataType, from: Remaining): Data[] {
  return type.children.map((child) => readColumn(child.type as DataType, from));
}

function readOffsets(type: DataType, from: Remaining): Int32Array | BigInt64Array | undefined {
  if (DataType.isUtf8(type) || DataType.isBinary(type) || DataType.isList(type) || DataType.isMap(type))
    return view(Int32Array, next(from.buffers));
  if (DataType.isLargeUtf8(type) || DataType.isLargeBinary(type) || DataType.isLargeList(type))
    return view(BigInt64Array, next(from.buffers));
  return undefined;
}

function readValues(type: DataType, bytes: Uint8Array): ArrayBufferView {
  const { ArrayType } = DataType.isDictionary(type) ? type.indices : type;
  return view(ArrayType as Parameters<typeof view<ArrayBufferView>>[0], bytes);
}

function readVariadic(from: Remaining): Uint8Array[] {
  const buffers: Uint8Array[] = [];
  for (let count = next(from.variadicBufferCounts); count > 0; count--) buffers.push(next(from.buffers));
  return buffers;
}

/** The whole items in `bytes`. */
function view<T>(
  array: {
    new (buffer: ArrayBufferLike, offset: number, length: number): T;
    readonly BYTES_PER_ELEMENT: number;
  },
  bytes: Uint8Array,
): T {
  return new array(bytes.buffer, bytes.byteOffset, Math.floor(bytes.byteLength / array.BYTES_PER_ELEMENT));
}
