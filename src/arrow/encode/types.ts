import {
  Binary,
  Bool,
  DateDay,
  Decimal,
  Field,
  FixedSizeList,
  Float32,
  Float64,
  Int16,
  Int32,
  Int64,
  Int8,
  IntervalMonthDayNano,
  List,
  Map_,
  Null,
  Schema,
  Struct,
  TimeMicrosecond,
  TimeNanosecond,
  Timestamp,
  TimeUnit,
  Uint16,
  Uint32,
  Uint64,
  Uint8,
  Utf8,
  type DataType,
} from "apache-arrow";
import type { ColumnField, ColumnType } from "../../store/columns.ts";

export function encodeSchema(fields: readonly ColumnField[]): Schema {
  return new Schema(fields.map(encodeField));
}

function encodeField({ name, type }: ColumnField): Field {
  return new Field(name, refuseForeignCopies(encodeType(type)), true);
}

const UNITS = {
  s: TimeUnit.SECOND,
  ms: TimeUnit.MILLISECOND,
  us: TimeUnit.MICROSECOND,
  ns: TimeUnit.NANOSECOND,
} as const;

function encodeType(type: ColumnType): DataType {
  switch (type.kind) {
    case "null":
      return new Null();
    case "boolean":
      return new Bool();
    case "text":
      return new Utf8();
    case "binary":
      return new Binary();
    case "date":
      return new DateDay();
    case "interval":
      return new IntervalMonthDayNano();
    case "integer":
      return encodeInteger(type.bits, type.signed);
    case "float":
      return type.bits === 32 ? new Float32() : new Float64();
    case "decimal":
      return new Decimal(type.scale, type.precision, 128);
    case "time":
      return type.unit === "us" ? new TimeMicrosecond() : new TimeNanosecond();
    case "timestamp":
      return new Timestamp(UNITS[type.unit], type.utc ? "UTC" : null);
    case "list":
      return new List(encodeField({ name: "item", type: type.item }));
    case "fixed list":
      return new FixedSizeList(type.length, encodeField({ name: "item", type: type.item }));
    case "struct":
      return new Struct(type.fields.map(encodeField));
    case "map": {
      const key = new Field("key", encodeType(type.key), false);
      const value = new Field("value", encodeType(type.value), true);
      const entries = new Struct<{ key: DataType; value: DataType }>([key, value]);
      return new Map_<DataType, DataType>(new Field("entries", entries, false));
    }
  }
}

function encodeInteger(bits: 8 | 16 | 32 | 64, signed: boolean): DataType {
  switch (bits) {
    case 8:
      return signed ? new Int8() : new Uint8();
    case 16:
      return signed ? new Int16() : new Uint16();
    case 32:
      return signed ? new Int32() : new Uint32();
    case 64:
      return signed ? new Int64() : new Uint64();
  }
}

/**
 * Makes functions of another copy of apache-arrow throw where they write or copy a table with this type. They do not
 * recognise the type and would leave its data out without an error. Before that, they ask it for its own `type`, which
 * nothing else does.
 */
function refuseForeignCopies(type: DataType): DataType {
  return Object.defineProperty(type, "type", { get: refuse });
}

function refuse(): never {
  throw new TypeError(
    "this table was made by another copy of apache-arrow than the function that it was given to; take the function from evalcube/arrow",
  );
}
