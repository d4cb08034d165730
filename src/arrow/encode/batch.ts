import {
  Data,
  makeData,
  RecordBatch,
  Struct,
  Type,
  Table,
  type DataType,
  type Field,
  type Schema,
} from "apache-arrow";
import type { ColumnBatch, ColumnStream, ColumnValues } from "../../store/columns.ts";
import { encodeSchema } from "./types.ts";
import { EvalcubeError } from "../../errors.ts";

/** Makes a record batch that shares the memory of its columns. */
export function encodeBatch(schema: Schema, batch: ColumnBatch): RecordBatch {
  const children = schema.fields.map((field, i) => encodeValues(field.type, batch.columns[i] ?? NO_VALUES));
  return new RecordBatch(schema, new Data(new Struct(schema.fields), 0, batch.length, 0, {}, children));
}

/** Makes a batch with all columns and no record. */
export function emptyBatch(schema: Schema): RecordBatch {
  const children = schema.fields.map((field) => emptyData(field.type));
  return new RecordBatch(schema, new Data(new Struct(schema.fields), 0, 0, 0, {}, children));
}

/** `makeData` alone leaves a list without its items, and then nobody can measure or write it. */
function emptyData(type: DataType): Data {
  const children = (type.children ?? []).map((field: Field) => emptyData(field.type));
  return new Data(type, 0, 0, 0, makeData({ type, length: 0 }).buffers, children);
}

const NO_VALUES: ColumnValues = {
  length: 0,
  nulls: 0,
  validity: null,
  bytes: null,
  offsets: null,
  children: [],
};

function encodeValues(type: DataType, values: ColumnValues): Data {
  const buffers = {
    ...(values.offsets === null ? {} : { 0: values.offsets }),
    ...(values.bytes === null ? {} : { 1: typedBytes(type, values.bytes) }),
    ...(values.validity === null ? {} : { 2: values.validity }),
  };
  const children = values.children.map((child, i) => encodeValues(childType(type, i), child));
  return new Data(type, 0, values.length, values.nulls, buffers, children);
}

function childType(type: DataType, index: number): DataType {
  const field = (type.children ?? [])[index];
  if (field === undefined) throw new TypeError(`an Arrow type without a child ${index}`);
  return field.type;
}

const BYTES: ReadonlySet<Type> = new Set([Type.Utf8, Type.Binary, Type.Bool]);

/** Texts, binaries and bits stay bytes; other values get the array type of their Arrow type. */
function typedBytes(type: DataType, bytes: Uint8Array<ArrayBuffer>): ArrayBufferView {
  if (BYTES.has(type.typeId)) return bytes;
  const { ArrayType } = type as { ArrayType: typeof Int32Array };
  return new ArrayType(bytes.buffer, bytes.byteOffset, bytes.byteLength / ArrayType.BYTES_PER_ELEMENT);
}

/** Collects all batches in one table. Throws `EvalcubeError` if they have more than `most` bytes. */
export async function collectTable(batches: AsyncIterable<RecordBatch>, most = Infinity): Promise<Table> {
  const collected: RecordBatch[] = [];
  let bytes = 0;
  for await (const batch of batches) {
    bytes += batch.data.byteLength;
    if (bytes > most) {
      throw new EvalcubeError(
        "result_too_large",
        `the result has more than ${most} bytes; select less of it, or read it in batches`,
      );
    }
    collected.push(batch);
  }
  return new Table(collected);
}

/** Encodes a result as it is read; yields one empty batch where it has no records. */
export async function* recordBatches({
  fields,
  batches,
}: ColumnStream): AsyncGenerator<RecordBatch, void, undefined> {
  const schema = encodeSchema(fields);
  let count = 0;
  for await (const batch of batches) {
    yield encodeBatch(schema, batch);
    count++;
  }
  if (count === 0) yield emptyBatch(schema);
}
