import * as zlib from "node:zlib";
import { CompressionType } from "apache-arrow";
import { ArrowFault } from "../arrow-fault.ts";
import { decompressLz4 } from "./lz4-frame.ts";

/** The places of the buffers that a message names, and their compression. */
interface BufferRegions {
  readonly buffers: readonly { readonly offset: number; readonly length: number }[];
  readonly compression: { readonly type: CompressionType } | null;
}

/** The buffers of a message, decompressed. Throws {@link ArrowFault} on regions beyond the body. */
export async function readBuffers(body: Uint8Array, regions: BufferRegions): Promise<Uint8Array[]> {
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
