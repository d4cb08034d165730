import type { Json, JsonObject } from "../json.ts";

type Scalar = "text" | "hex" | "base64" | "boolean" | "int" | "fixed64" | "double" | "enum";
type One = Scalar | { readonly one: Message };
/** A member of a message: its name, and how its bytes are read. */
type Member = readonly [name: string, read: One | { readonly each: Message }];
interface Message {
  readonly [field: number]: Member;
}

const VALUE: { [field: number]: Member } = {
  1: ["stringValue", "text"],
  2: ["boolValue", "boolean"],
  3: ["intValue", "int"],
  4: ["doubleValue", "double"],
  7: ["bytesValue", "base64"],
};
const PAIR: Message = { 1: ["key", "text"], 2: ["value", { one: VALUE }] };
VALUE[5] = ["arrayValue", { one: { 1: ["values", { each: VALUE }] } }];
VALUE[6] = ["kvlistValue", { one: { 1: ["values", { each: PAIR }] } }];
const RESOURCE: Message = { 1: ["attributes", { each: PAIR }] };
const EVENT: Message = {
  1: ["timeUnixNano", "fixed64"],
  2: ["name", "text"],
  3: ["attributes", { each: PAIR }],
};
const LINK: Message = { 1: ["traceId", "hex"], 2: ["spanId", "hex"], 4: ["attributes", { each: PAIR }] };
const STATUS: Message = { 2: ["message", "text"], 3: ["code", "enum"] };
const SPAN: Message = {
  1: ["traceId", "hex"],
  2: ["spanId", "hex"],
  4: ["parentSpanId", "hex"],
  5: ["name", "text"],
  6: ["kind", "enum"],
  7: ["startTimeUnixNano", "fixed64"],
  8: ["endTimeUnixNano", "fixed64"],
  9: ["attributes", { each: PAIR }],
  11: ["events", { each: EVENT }],
  13: ["links", { each: LINK }],
  15: ["status", { one: STATUS }],
};
const RECORD: Message = {
  1: ["timeUnixNano", "fixed64"],
  5: ["body", { one: VALUE }],
  6: ["attributes", { each: PAIR }],
  9: ["traceId", "hex"],
  10: ["spanId", "hex"],
  11: ["observedTimeUnixNano", "fixed64"],
  12: ["eventName", "text"],
};
const listOf = (name: string, scopes: string, items: string, item: Message): Message => ({
  1: [
    name,
    { each: { 1: ["resource", { one: RESOURCE }], 2: [scopes, { each: { 2: [items, { each: item }] } }] } },
  ],
});
const EXPORTS = {
  traces: listOf("resourceSpans", "scopeSpans", "spans", SPAN),
  logs: listOf("resourceLogs", "scopeLogs", "logRecords", RECORD),
};

/** The JSON form of a binary export of at most so many values. Throws `RangeError` on other bytes. */
export function exportFromProtobuf(bytes: Buffer, kind: keyof typeof EXPORTS, most: number): JsonObject {
  return readMessage(bytes, EXPORTS[kind], { depth: 0, most, counted: { values: 0 } });
}

const MAX_DEPTH = 100;

interface Within {
  readonly depth: number;
  readonly most: number;
  readonly counted: { values: number };
}

function readMessage(bytes: Buffer, message: Message, within: Within): JsonObject {
  if (within.depth > MAX_DEPTH) throw new RangeError(`is nested more than ${MAX_DEPTH} levels deep`);
  const found: { [name: string]: Json } = {};
  let at = 0;
  while (at < bytes.length) {
    const tag = varint(bytes, at);
    const field = Number(tag.value >> 3n);
    const given = valueAt(bytes, tag.end, Number(tag.value & 7n));
    at = given.end;
    const member = message[field];
    if (member === undefined) continue;
    if (++within.counted.values > within.most) throw new RangeError(`has more than ${within.most} values`);
    const [name, read] = member;
    if (typeof read === "object" && "each" in read)
      ((found[name] ??= []) as Json[]).push(valueOf(given.value, { one: read.each }, within));
    else found[name] = valueOf(given.value, read, within);
  }
  return found;
}

/** The value that begins at a place, by its wire type, and where it ends. */
function valueAt(bytes: Buffer, at: number, wire: number) {
  if (wire === 0) return varint(bytes, at);
  const head = wire === 2 ? varint(bytes, at) : null;
  const start = head === null ? at : head.end;
  const length = wire === 1 ? 8 : wire === 5 ? 4 : Number(head?.value ?? -1n);
  if (length < 0) throw new RangeError(`has the wire type ${wire} at byte ${at}`);
  if (start + length > bytes.length) throw new RangeError(`ends in the middle of a value at byte ${at}`);
  return { value: bytes.subarray(start, start + length), end: start + length };
}

function varint(bytes: Buffer, at: number): { readonly value: bigint; readonly end: number } {
  let value = 0n;
  for (let i = 0; i < 10; i++) {
    const byte = bytes[at + i];
    if (byte === undefined) throw new RangeError(`ends in the middle of a number at byte ${at}`);
    value |= BigInt(byte & 127) << BigInt(7 * i);
    if (byte < 128) return { value, end: at + i + 1 };
  }
  throw new RangeError(`has a number of more than ten bytes at byte ${at}`);
}

function valueOf(value: bigint | Buffer, read: One, within: Within): Json {
  if (typeof value === "bigint") {
    if (read === "boolean") return value !== 0n;
    if (read === "enum") return Number(BigInt.asIntN(32, value));
    if (read === "int") return String(BigInt.asIntN(64, value));
  } else {
    if (typeof read === "object") return readMessage(value, read.one, { ...within, depth: within.depth + 1 });
    if (read === "text") return value.toString("utf8");
    if (read === "hex" || read === "base64") return value.toString(read);
    if (read === "fixed64" && value.length === 8) return String(value.readBigUInt64LE());
    if (read === "double" && value.length === 8) return String(value.readDoubleLE());
  }
  throw new RangeError("has a value of another wire type than its field has");
}
