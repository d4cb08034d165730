import { appendFileSync, readFileSync } from "node:fs";

/** What record.c writes; the numbers are its own. */
export const OPERATIONS = [
  "none",
  "open",
  "write",
  "resize",
  "extend",
  "sync",
  "sync-folder",
  "rename",
  "unlink",
  "link",
  "mark",
  "unknown",
] as const;

/** One change of a file, or an acknowledgement of the process that is recorded. */
export interface Entry {
  readonly operation: (typeof OPERATIONS)[number];
  readonly inode: number;
  /** Of a write; the size that `resize` sets; 1 on `open` of a file that was not there. */
  readonly offset: number;
  readonly length: number;
  /** Path within the recorded folder. */
  readonly name: string;
  /** Where `rename` and `link` lead to. */
  readonly other: string;
  readonly data: Buffer;
}

const MAGIC = 0x45565443;
const HEAD = 48;

export function readTrace(file: string): Entry[] {
  const bytes = readFileSync(file);
  const entries: Entry[] = [];
  for (let at = 0; at < bytes.length;) {
    if (bytes.readUInt32LE(at) !== MAGIC) throw new Error(`${file}: no entry begins at byte ${at}`);
    const names = at + HEAD;
    const others = names + bytes.readUInt32LE(at + 32);
    const data = others + bytes.readUInt32LE(at + 36);
    const end = data + bytes.readUInt32LE(at + 40);
    const operation = OPERATIONS[bytes.readUInt32LE(at + 4)] ?? "unknown";
    entries.push({
      operation,
      inode: Number(bytes.readBigUInt64LE(at + 8)),
      offset: Number(bytes.readBigUInt64LE(at + 16)),
      length: Number(bytes.readBigUInt64LE(at + 24)),
      name: bytes.toString("utf8", names, others),
      other: bytes.toString("utf8", others, data),
      data: bytes.subarray(data, end),
    });
    at = end;
  }
  return entries;
}

/** Notes in a trace that something was acknowledged. */
export function appendMark(trace: string): void {
  const name = Buffer.from("marks");
  const data = Buffer.from("acknowledged\n");
  const head = Buffer.alloc(HEAD);
  head.writeUInt32LE(MAGIC, 0);
  head.writeUInt32LE(OPERATIONS.indexOf("mark"), 4);
  head.writeBigUInt64LE(BigInt(data.length), 24);
  head.writeUInt32LE(name.length, 32);
  head.writeUInt32LE(data.length, 40);
  head.writeUInt32LE(process.pid, 44);
  appendFileSync(trace, Buffer.concat([head, name, data]));
}

/** How many acknowledgements an entry is: one a line. */
export function acknowledgements({ operation, data }: Entry): number {
  if (operation !== "mark") return 0;
  return data.toString("latin1").split("\n").length - 1;
}
