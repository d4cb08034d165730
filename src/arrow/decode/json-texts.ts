import { DataType, UnionMode, Precision, type Data, type Field } from "apache-arrow";
import { UnwritableJson } from "../../model/json.ts";
import { ArrowFault } from "../arrow-fault.ts";
import { offsetsOf, validityReader, type Offsets } from "./check-buffers.ts";
import { bytesReader, dictionaryReader, isText, textReader } from "./texts.ts";
import { timeReader } from "./times.ts";

/** Value `i` as JSON text, `null` for a null; throws {@link UnwritableJson} on values that JSON cannot hold. */
export type JsonText = (i: number) => string;

const NONE = "null";
/** A longer text is refused. */
const MAX_CHARACTERS = 256 * 1024 * 1024;

/** Reads a column as JSON; `field` has its name and its extension type, if any. */
export function jsonReader(data: Data, field: Field): JsonText {
  const { type } = data;
  if (DataType.isDictionary(type)) return dictionaryReader(data, (part) => jsonReader(part, field), NONE);
  const read = plainReader(data, field);
  const valid = validityReader(data);
  return valid === null ? read : (i) => (valid(i) ? read(i) : NONE);
}

function plainReader(data: Data, field: Field): JsonText {
  const { type } = data;
  if (DataType.isNull(type)) return () => NONE;
  if (isText(type)) return writtenText(data, field);
  if (DataType.isBool(type)) {
    const bits = data.values as Uint8Array;
    return (i) => String((((bits[(data.offset + i) >> 3] ?? 0) >> ((data.offset + i) & 7)) & 1) === 1);
  }
  const time = timeReader(data, false);
  if (time !== null) return (i) => `"${time(i)}"`;
  return numberReader(data) ?? bytesText(data, field) ?? nestedReader(data, field);
}

/** The metadata may leave out an empty name. */
export const arrowName = (field: { readonly name: string | null }): string => field.name ?? "";
const extensionOf = (field: Field) => field.metadata.get("ARROW:extension:name");

/** Text as a JSON string; text of the extension type `arrow.json` as JSON. */
function writtenText(data: Data, field: Field): JsonText {
  const read = textReader(data);
  if (extensionOf(field) !== "arrow.json") return (i) => JSON.stringify(read(i));
  return (i) => {
    const text = read(i) ?? NONE;
    try {
      JSON.parse(text);
    } catch {
      throw new UnwritableJson([], "is not JSON");
    }
    return text;
  };
}

/** Bytes as base64; bytes of the extension type `arrow.uuid` as a UUID. */
function bytesText(data: Data, field: Field): JsonText | null {
  const read = bytesReader(data);
  if (read === null) return null;
  const isUuid = extensionOf(field) === "arrow.uuid";
  return (i) => {
    const bytes = read(i);
    if (!isUuid || bytes.length !== 16) return `"${bytes.toString("base64")}"`;
    return `"${bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")}"`;
  };
}

function nestedReader(data: Data, field: Field): JsonText {
  const { type } = data;
  if (DataType.isStruct(type)) return structReader(data, type.children);
  if (DataType.isMap(type)) return mapReader(data);
  if (DataType.isUnion(type)) return unionReader(data, type.typeIds, type.children, type.mode);
  if (DataType.isFixedSizeList(type)) return listReader(data, (i) => i * type.listSize);
  if (DataType.isList(type) || DataType.isLargeList(type)) return listReader(data, offsetsOf(data));
  throw new ArrowFault(`column ${arrowName(field)}: the type ${type.typeId} is not supported`);
}

/** The reader of a child; its errors name the child. */
function childReader(data: Data, i: number): JsonText {
  const child = data.children[i];
  const field = data.type.children[i] as Field | undefined;
  if (child === undefined || field === undefined)
    throw new ArrowFault(`a column of type ${data.type.typeId} has no member ${i}`);
  return jsonReader(child, field);
}

function within<T>(place: string | number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof UnwritableJson) throw new UnwritableJson([place, ...error.path], error.message);
    throw error;
  }
}

function structReader(data: Data, fields: readonly Field[]): JsonText {
  const members = fields.map((field, i) => ({
    name: arrowName(field),
    label: `${i === 0 ? "" : ","}${JSON.stringify(arrowName(field).toWellFormed())}:`,
    read: childReader(data, i),
  }));
  const twice = members.find(({ name }, i) => members.findIndex((other) => other.name === name) < i);
  if (twice !== undefined) throw new ArrowFault(`a struct has two members ${JSON.stringify(twice.name)}`);
  return (i) => {
    let text = "{";
    for (const { name, label, read } of members) text += label + within(name, () => read(i));
    return `${text}}`;
  };
}

function listReader(data: Data, offset: Offsets): JsonText {
  const read = childReader(data, 0);
  const length = data.children[0]?.length ?? 0;
  return (i) => {
    const from = offset(i);
    return `[${joined(from, offset(i + 1), length, (k) => within(k - from, () => read(k)))}]`;
  };
}

/** Keys of a map that are not text become their JSON text. */
function mapReader(data: Data): JsonText {
  const entries = data.children[0];
  const keys = entries?.children[0];
  if (entries === undefined || keys === undefined) throw new ArrowFault("a map has no keys");
  const offset = offsetsOf(data);
  const readKey = isText(keys.type) ? textReader(keys) : childReader(entries, 0);
  const read = childReader(entries, 1);
  return (i) => {
    const names = new Set<string>();
    const entry = (k: number) => {
      const name = readKey(k);
      if (name === null || (name === NONE && !isText(keys.type)))
        throw new UnwritableJson([], "has a key that is null");
      const key = name.startsWith('"') && !isText(keys.type) ? (JSON.parse(name) as string) : name;
      if (names.has(key)) throw new UnwritableJson([key], "is there twice");
      names.add(key);
      return `${JSON.stringify(key)}:${within(key, () => read(k))}`;
    };
    return `{${joined(offset(i), offset(i + 1), Math.min(entries.length, keys.length), entry)}}`;
  };
}

const JOINED_AT_ONCE = 4096;

/** The items from `from` to `to` with commas between them; `length` is how many there are. */
function joined(from: number, to: number, length: number, item: (k: number) => string): string {
  if (!(from >= 0 && from <= to && to <= length)) throw new UnwritableJson([], "lies outside of its buffer");
  let text = "";
  for (let start = from; start < to; start += JOINED_AT_ONCE) {
    const items: string[] = [];
    for (let k = start; k < Math.min(to, start + JOINED_AT_ONCE); k++) items.push(item(k));
    text += (start === from ? "" : ",") + items.join(",");
    if (text.length > MAX_CHARACTERS)
      throw new UnwritableJson([], `is longer than ${MAX_CHARACTERS} characters`);
  }
  return text;
}

function unionReader(
  data: Data,
  ids: ArrayLike<number>,
  fields: readonly Field[],
  mode: UnionMode,
): JsonText {
  const members = new Map(
    fields.map((_, i) => [
      ids[i] ?? i,
      { read: childReader(data, i), length: data.children[i]?.length ?? 0 },
    ]),
  );
  const places = data.typeIds as ArrayLike<number>;
  const offsets = data.valueOffsets as Int32Array;
  return (i) => {
    const id = places[i] ?? -1;
    const member = members.get(id);
    const at = mode === UnionMode.Dense ? (offsets[i] ?? -1) : i;
    if (member === undefined) throw new UnwritableJson([], `has the type ${id}, which its union has not`);
    if (at < 0 || at >= member.length) throw new UnwritableJson([], "lies outside of its buffer");
    return member.read(at);
  };
}

/** A column of numbers as JSON numbers, with all the digits of integers and decimals; null for any other column. */
function numberReader(data: Data): ((i: number) => string) | null {
  const { type } = data;
  if (DataType.isInt(type)) {
    const values = data.values as ArrayLike<number | bigint>;
    return (i) => String(values[i] ?? 0);
  }
  if (DataType.isDecimal(type)) return decimalReader(data, type.bitWidth, type.scale);
  if (!DataType.isFloat(type)) return null;
  const values = data.values as ArrayLike<number>;
  if (type.precision === Precision.HALF) return (i) => finiteText(halfToNumber(values[i] ?? 0));
  return (i) => finiteText(values[i] ?? 0);
}

function finiteText(value: number): string {
  if (!Number.isFinite(value)) throw new UnwritableJson([], `${value} is not a JSON number`);
  return String(value);
}

/** The value of an IEEE 754 half-precision number. */
function halfToNumber(bits: number): number {
  const sign = bits >> 15 === 0 ? 1 : -1;
  const exponent = (bits >> 10) & 31;
  const mantissa = bits & 1023;
  if (exponent === 31) return mantissa === 0 ? sign * Infinity : Number.NaN;
  return exponent === 0 ? sign * mantissa * 2 ** -24 : sign * (1024 + mantissa) * 2 ** (exponent - 25);
}

/** The most digits that a decimal of Arrow has. */
const MAX_SCALE = 1000;

function decimalReader(data: Data, bitWidth: number, scale: number): (i: number) => string {
  if (Math.abs(scale) > MAX_SCALE) throw new ArrowFault(`a decimal cannot have the scale ${scale}`);
  const words = data.values as Uint32Array;
  const count = bitWidth / 32;
  return (i) => {
    let bits = 0n;
    for (let k = count - 1; k >= 0; k--) bits = (bits << 32n) | BigInt(words[i * count + k] ?? 0);
    return decimalText(BigInt.asIntN(bitWidth, bits), scale);
  };
}

function decimalText(unscaled: bigint, scale: number): string {
  if (scale <= 0) return String(unscaled * 10n ** BigInt(-scale));
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, "0");
  return `${unscaled < 0n ? "-" : ""}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}
