/** Kinds of values in the compact protocol of Thrift, in which the footer of a Parquet file is written. */
const TRUE = 1;
const FALSE = 2;
const BYTE = 3;
const INTEGER = 6;
const DOUBLE = 7;
const BINARY = 8;
const SET = 10;
const STRUCT = 12;

const MOST_LEVELS = 16;

interface Cursor {
  readonly bytes: Buffer;
  at: number;
}

/** A node of the schema; only a struct has members and no other meaning. */
interface SchemaNode {
  name: string;
  members: number;
  /** Whether it stands for a list, a map or another type. */
  isTyped: boolean;
}

/** Names of the columns of a Parquet file that are structs, from the end of the file; none where that is no whole footer. */
export function structColumns(tail: Buffer): ReadonlySet<string> {
  const end = tail.length - 8;
  if (end < 0 || tail.toString("latin1", end + 4) !== "PAR1") return new Set();
  const start = end - tail.readUInt32LE(end);
  if (start < 0) return new Set();
  try {
    return structsAtRoot(readSchema({ bytes: tail.subarray(start, end), at: 0 }));
  } catch (error) {
    if (error instanceof RangeError) return new Set();
    throw error;
  }
}

/** A schema is its nodes in the order of a walk that takes a node before its members. */
function structsAtRoot(nodes: readonly SchemaNode[]): Set<string> {
  const structs = new Set<string>();
  const open: number[] = [];
  for (const { name, members, isTyped } of nodes) {
    if (open.length === 1 && members > 0 && !isTyped) structs.add(name);
    if (open.length > 0) open.push((open.pop() ?? 0) - 1);
    if (members > 0) open.push(members);
    while (open.at(-1) === 0) open.pop();
  }
  return structs;
}

/** The schema is the second field of the footer. */
function readSchema(cursor: Cursor): SchemaNode[] {
  const nodes: SchemaNode[] = [];
  for (const { id, type } of fields(cursor)) {
    if (id !== 2) {
      skip(cursor, type, 0);
      continue;
    }
    const { size } = listHeader(cursor);
    for (let i = 0; i < size; i++) nodes.push(readNode(cursor));
    break;
  }
  return nodes;
}

function readNode(cursor: Cursor): SchemaNode {
  const node: SchemaNode = { name: "", members: 0, isTyped: false };
  for (const { id, type } of fields(cursor)) {
    if (id === 4 && type === BINARY) node.name = readBytes(cursor).toString("utf8");
    else if (id === 5) node.members = zigzag(varint(cursor));
    else {
      if (id === 6 || id === 10) node.isTyped = true;
      skip(cursor, type, 0);
    }
  }
  return node;
}

/** The fields of a struct; whoever takes one reads or skips its value. */
function* fields(cursor: Cursor): Generator<{ readonly id: number; readonly type: number }> {
  let id = 0;
  for (let head = byte(cursor); head !== 0; head = byte(cursor)) {
    id = head >> 4 === 0 ? zigzag(varint(cursor)) : id + (head >> 4);
    yield { id, type: head & 15 };
  }
}

function skip(cursor: Cursor, type: number, depth: number): void {
  if (depth > MOST_LEVELS) throw new RangeError("too deep");
  if (type === TRUE || type === FALSE) return;
  if (type === BYTE) cursor.at++;
  else if (type <= INTEGER) varint(cursor);
  else if (type === DOUBLE) cursor.at += 8;
  else if (type === BINARY) readBytes(cursor);
  else if (type === STRUCT) for (const field of fields(cursor)) skip(cursor, field.type, depth + 1);
  else if (type <= SET) skipList(cursor, depth);
  else throw new RangeError("unknown type");
}

function skipList(cursor: Cursor, depth: number): void {
  const { size, type } = listHeader(cursor);
  // In a list, a truth value takes a byte.
  for (let i = 0; i < size; i++) skip(cursor, type === TRUE || type === FALSE ? BYTE : type, depth + 1);
}

function listHeader(cursor: Cursor): { readonly size: number; readonly type: number } {
  const head = byte(cursor);
  const size = head >> 4 === 15 ? varint(cursor) : head >> 4;
  if (size > cursor.bytes.length) throw new RangeError("ends early");
  return { size, type: head & 15 };
}

function readBytes(cursor: Cursor): Buffer {
  const length = varint(cursor);
  if (cursor.at + length > cursor.bytes.length) throw new RangeError("ends early");
  cursor.at += length;
  return cursor.bytes.subarray(cursor.at - length, cursor.at);
}

function varint(cursor: Cursor): number {
  let value = 0;
  for (let factor = 1; factor < 2 ** 49; factor *= 128) {
    const next = byte(cursor);
    value += (next & 127) * factor;
    if (next < 128) return value;
  }
  throw new RangeError("too long");
}

function zigzag(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

function byte(cursor: Cursor): number {
  return cursor.bytes.readUInt8(cursor.at++);
}
