import { deflateRawSync } from "node:zlib";
import { crc32 } from "node:zlib";

/** An entry of a zip file that is made for a test; what is named overrides what is true. */
export interface MadeEntry {
  readonly name: string;
  readonly data: string | Buffer;
  readonly method?: number;
  /** The bytes as they stand in the file. */
  readonly packed?: Buffer;
  readonly size?: number;
  readonly crc?: number;
  readonly flags?: number;
}

/** A zip file of these entries. */
export function zipFile(entries: readonly MadeEntry[]): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const data = Buffer.from(entry.data);
    const method = entry.method ?? 8;
    const packed = entry.packed ?? (method === 8 ? deflateRawSync(data) : data);
    const name = Buffer.from(entry.name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(entry.flags ?? 0x800, 2);
    common.writeUInt16LE(method, 4);
    common.writeUInt32LE(entry.crc ?? crc32(data), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(entry.size ?? data.length, 18);
    common.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from("PK\u0003\u0004", "latin1"), common, name, packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from("PK\u0001\u0002\u0014\0", "latin1"), common, rest, name]));
    locals.push(local);
    offset += local.length;
  }
  const listed = Buffer.concat(directory);
  const isLong = entries.length >= 0xffff;
  const end = Buffer.alloc(22);
  end.write("PK\u0005\u0006", "latin1");
  end.writeUInt16LE(isLong ? 0xffff : entries.length, 8);
  end.writeUInt16LE(isLong ? 0xffff : entries.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(offset, 16);
  const long = isLong ? [longEnd(entries.length, listed.length, offset)] : [];
  return Buffer.concat([...locals, listed, ...long, end]);
}

/** What says how many entries there are, where the number does not fit into the end, and where that stands. */
function longEnd(entries: number, length: number, offset: number): Buffer {
  const end = Buffer.alloc(56 + 20);
  end.write("PK\u0006\u0006", "latin1");
  end.writeBigUInt64LE(44n, 4);
  for (const [at, value] of [
    [24, entries],
    [32, entries],
    [40, length],
    [48, offset],
    [64, offset + length],
  ] as const)
    end.writeBigUInt64LE(BigInt(value), at);
  end.write("PK\u0006\u0007", 56, "latin1");
  end.writeUInt32LE(1, 72);
  return end;
}
