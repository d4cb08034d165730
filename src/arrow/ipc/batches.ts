import * as zlib from "node:zlib";
import {
  MetadataVersion,
  Vector,
  CompressionType,
  type Data,
  type Field,
  type Message,
  type Schema,
} from "apache-arrow";
import { ArrowFault } from "../arrow-fault.ts";
import { readColumns } from "./columns.ts";
import { decode, type IpcPart } from "./messages.ts";
import { decompressLz4 } from "./lz4-frame.ts";

/** Records of one schema, column by column. */
export interface IpcBatch {
  readonly fields: readonly Field[];
  readonly columns: readonly Data[];
  readonly length: number;
}

/**
 * The record batches of Arrow IPC. The first has no records and tells the schema. Throws {@link ArrowFault} on
 * parts that contradict one another.
 */
export async function* readBatches(parts: AsyncIterable<IpcPart>): AsyncGenerator<IpcBatch> {
  let schema: Schema | null = null;
  const dictionaries = new Map<number, Vector>();
  for await (const part of parts) {
    if (part.kind === "schema") {
      if (schema !== null) throw new ArrowFault("has two schemas");
      schema = part.schema;
      yield { fields: schema.fields, columns: [], length: 0 };
      continue;
    }
    const { message, body } = part;
    if (schema === null) throw new ArrowFault("does not begin with a schema");
    if (message.isDictionaryBatch()) {
      const { id, isDelta, data } = decode(message, (one) => one.header());
      const type = schema.dictionaries.get(id);
      if (type === undefined) throw new ArrowFault(`has a dictionary ${id} that its schema does not name`);
      const field = { name: `dictionary ${id}`, type } as Field;
      const values = await columnsOf(message, body, [field], data, dictionaries);
      const earlier = isDelta ? (dictionaries.get(id)?.data ?? []) : [];
      dictionaries.set(id, new Vector([...earlier, ...values]));
    } else if (message.isRecordBatch()) {
      const header = decode(message, (one) => one.header());
      const columns = await columnsOf(message, body, schema.fields, header, dictionaries);
      yield { fields: schema.fields, columns, length: header.length };
    }
  }
  if (schema === null) throw new ArrowFault("is empty");
}

type Header = Parameters<typeof readBuffers>[1] & Parameters<typeof readColumns>[1];

async function columnsOf(
  message: Message,
  body: Uint8Array,
  fields: readonly Field[],
  header: Header,
  dictionaries: ReadonlyMap<number, Vector>,
): Promise<Data[]> {
  const buffers = await readBuffers(body, header);
  return decode(buffers, (all) =>
    readColumns(fields, header, all, dictionaries, message.version < MetadataVersion.V5),
  );
}

/** The places of the buffers that a message names, and their compression. */
interface BufferRegions {
  readonly buffers: readonly { readonly offset: number; readonly length: number }[];
  readonly compression: { readonly type: CompressionType } | null;
}

/** The buffers of a message, decompressed. Throws {@link ArrowFault} on regions beyond the body. */
async function readBuffers(body: Uint8Array, regions: BufferRegions): Promise<Uint8Array[]> {
  const buffers: Uint8Array[] = [];
  for (const { offset, length } of regions.buffers) {
    if (!(offset >= 0 && length >= 0 && offset + length <= body.length))
      throw new ArrowFault("has a buffer beyond the end of its message");
    const bytes = body.subarray(offset, offset + length);
    const plain =
      regions.compression === null || length === 0
        ? bytes
        : await decompress(bytes, regions.compression.type);
    buffers.push(plain.byteOffset % 8 === 0 ? plain : new Uint8Array(plain));
  }
  return buffers;
}

const SIZE_BYTES = 8;
/** The largest buffer that Node has on every machine. */
const MAX_BUFFER_BYTES = 2 ** 32;

/** A compressed buffer begins with its size; -1 marks one that is not compressed. */
async function decompress(bytes: Uint8Array, type: CompressionType): Promise<Uint8Array> {
  if (bytes.length < SIZE_BYTES) throw new ArrowFault("has a compressed buffer without its size");
  const size = Number(Buffer.from(bytes.buffer, bytes.byteOffset, SIZE_BYTES).readBigInt64LE(0));
  const rest = bytes.subarray(SIZE_BYTES);
  if (size === -1) return rest;
  if (size < 0 || size > MAX_BUFFER_BYTES) throw new ArrowFault(`has a buffer of ${size} bytes`);
  if (size === 0) return new Uint8Array(0);
  return type === CompressionType.LZ4_FRAME
    ? await decompressLz4(rest, size)
    : await decompressZstd(rest, size);
}

type Decompress = (
  bytes: Uint8Array,
  options: { readonly maxOutputLength: number },
  done: (error: Error | null, result: Uint8Array) => void,
) => void;

async function decompressZstd(bytes: Uint8Array, size: number): Promise<Uint8Array> {
  const run = "zstdDecompress" in zlib ? (zlib.zstdDecompress as Decompress) : null;
  if (run === null)
    throw new ArrowFault(
      `is compressed with zstd, which Node ${process.versions.node} cannot read; write it with lz4 or without compression, or use Node 22.15 or newer`,
    );
  const plain = await new Promise<Uint8Array>((resolve, reject) => {
    run(bytes, { maxOutputLength: size }, (error, result) => {
      if (error === null) resolve(result);
      else reject(new ArrowFault(`has a buffer that is no zstd frame: ${error.message}`, { cause: error }));
    });
  });
  if (plain.length !== size) throw new ArrowFault("has a buffer of another size than announced");
  return plain;
}
