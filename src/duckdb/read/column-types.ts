import { type DuckDBType, DuckDBTypeId } from "@duckdb/node-api";
import { StoreError } from "../../errors.ts";
import type { ColumnType } from "../../store/columns.ts";
import { arrayItems, dataOf, structMember, validityOf, type Vector } from "../native/vectors.ts";
import { GrowingBytes } from "../../bytes/growing.ts";
import { isValid, ValidityBits } from "../../arrow/bits.ts";
import {
  finite32,
  finite64,
  fixedWidth,
  nanosecondIntervals,
  takePlain,
  widened,
  within38Digits,
} from "./fixed-width.ts";
import { EXPECTED_ROWS, type Gatherer } from "./gatherer.ts";
import { lists, sideBySide } from "./nested.ts";
import { itemTexts, texts } from "./texts.ts";

/** The type of a column, and how its values are gathered. */
interface Reading {
  readonly type: ColumnType;
  readonly gather: () => Gatherer;
}

const integer = (bits: 8 | 16 | 32 | 64, signed: boolean): Reading => ({
  type: { kind: "integer", bits, signed },
  gather: () => fixedWidth(bits / 8),
});

const float = (bits: 32 | 64): Reading => ({
  type: { kind: "float", bits },
  gather: () => fixedWidth(bits / 8),
});

const timestamp = (unit: "s" | "ms" | "us" | "ns", utc: boolean): Reading => ({
  type: { kind: "timestamp", unit, utc },
  gather: () => fixedWidth(8, 8, finite64("timestamp")),
});

const text: Reading = { type: { kind: "text" }, gather: () => texts() };

/**
 * Types that a SELECT can have, all read without loss: integers of 128 bits become decimals of 38 digits (a larger one
 * is an error), and types that Arrow lacks become text. Types for which text would be of no use are refused by name.
 */
const READINGS: Readonly<Partial<Record<DuckDBTypeId, Reading>>> = {
  [DuckDBTypeId.SQLNULL]: { type: { kind: "null" }, gather: nulls },
  [DuckDBTypeId.BOOLEAN]: { type: { kind: "boolean" }, gather: booleans },
  [DuckDBTypeId.TINYINT]: integer(8, true),
  [DuckDBTypeId.SMALLINT]: integer(16, true),
  [DuckDBTypeId.INTEGER]: integer(32, true),
  [DuckDBTypeId.BIGINT]: integer(64, true),
  [DuckDBTypeId.UTINYINT]: integer(8, false),
  [DuckDBTypeId.USMALLINT]: integer(16, false),
  [DuckDBTypeId.UINTEGER]: integer(32, false),
  [DuckDBTypeId.UBIGINT]: integer(64, false),
  [DuckDBTypeId.FLOAT]: float(32),
  [DuckDBTypeId.DOUBLE]: float(64),
  [DuckDBTypeId.HUGEINT]: wholeDecimal(true),
  [DuckDBTypeId.UHUGEINT]: wholeDecimal(false),
  [DuckDBTypeId.DATE]: { type: { kind: "date" }, gather: () => fixedWidth(4, 4, finite32("date")) },
  [DuckDBTypeId.TIME]: { type: { kind: "time", unit: "us" }, gather: () => fixedWidth(8) },
  [DuckDBTypeId.TIME_NS]: { type: { kind: "time", unit: "ns" }, gather: () => fixedWidth(8) },
  [DuckDBTypeId.TIMESTAMP]: timestamp("us", false),
  [DuckDBTypeId.TIMESTAMP_S]: timestamp("s", false),
  [DuckDBTypeId.TIMESTAMP_MS]: timestamp("ms", false),
  [DuckDBTypeId.TIMESTAMP_NS]: timestamp("ns", false),
  [DuckDBTypeId.TIMESTAMP_TZ]: timestamp("us", true),
  [DuckDBTypeId.INTERVAL]: {
    type: { kind: "interval" },
    gather: () => fixedWidth(16, 16, nanosecondIntervals),
  },
  [DuckDBTypeId.VARCHAR]: text,
  [DuckDBTypeId.BLOB]: { type: { kind: "binary" }, gather: () => texts() },
};

function wholeDecimal(signed: boolean): Reading {
  return {
    type: { kind: "decimal", precision: 38, scale: 0 },
    gather: () => fixedWidth(16, 16, within38Digits(signed)),
  };
}

/** Types that Arrow lacks and the client can spell as text. */
const SPELLED: ReadonlySet<DuckDBTypeId> = new Set([
  DuckDBTypeId.UUID,
  DuckDBTypeId.BIT,
  DuckDBTypeId.TIME_TZ,
  DuckDBTypeId.ENUM,
  DuckDBTypeId.BIGNUM,
]);

/**
 * Returns how a column is read. Throws `StoreError` on a type without a counterpart, naming the type and the column.
 */
export function readingOf(type: DuckDBType, column: string): Reading {
  const plain = READINGS[type.typeId];
  if (plain !== undefined) return plain;
  if (SPELLED.has(type.typeId)) return { type: { kind: "text" }, gather: () => itemTexts(type) };
  if (type.typeId === DuckDBTypeId.DECIMAL) {
    const { width, scale } = type;
    return { type: { kind: "decimal", precision: width, scale }, gather: () => decimals(width) };
  }
  if (type.typeId === DuckDBTypeId.LIST) {
    const item = readingOf(type.valueType, column);
    return { type: { kind: "list", item: item.type }, gather: () => lists(item.gather()) };
  }
  if (type.typeId === DuckDBTypeId.ARRAY) {
    const item = readingOf(type.valueType, column);
    const { length } = type;
    return {
      type: { kind: "fixed list", item: item.type, length },
      gather: () => sideBySide([item.gather()], length, arrayItems),
    };
  }
  if (type.typeId === DuckDBTypeId.STRUCT) {
    const members = type.entryTypes.map((entry) => readingOf(entry, column));
    const fields = members.map((member, i) => ({ name: type.entryNames[i] ?? "", type: member.type }));
    return { type: { kind: "struct", fields }, gather: () => structs(members) };
  }
  if (type.typeId === DuckDBTypeId.MAP) {
    const key = readingOf(type.keyType, column);
    const value = readingOf(type.valueType, column);
    return {
      type: { kind: "map", key: key.type, value: value.type },
      gather: () => lists(structs([key, value])),
    };
  }
  throw new StoreError(
    "unsupported_type",
    `column ${JSON.stringify(column)} is of type ${String(type)}, for which there is no Arrow type; cast it, for example to VARCHAR or JSON`,
  );
}

function structs(members: readonly Reading[]): Gatherer {
  return sideBySide(
    members.map((member) => member.gather()),
    1,
    structMember,
  );
}

/** DuckDB stores decimals in as few bytes as their digits need. */
function decimals(width: number): Gatherer {
  if (width > 18) return fixedWidth(16);
  const bytes = width > 9 ? 8 : width > 4 ? 4 : 2;
  return fixedWidth(bytes, 16, widened(bytes));
}

/** Gathers booleans: one byte per value becomes one bit per value. */
function booleans(): Gatherer {
  const validity = new ValidityBits();
  const values = new GrowingBytes(EXPECTED_ROWS / 8);
  return {
    append: (vector: Vector, from: number, count: number) => {
      const bits = validityOf(vector, from + count);
      const data = dataOf(vector, from + count);
      let at = validity.length;
      validity.append(bits, from, count);
      values.extend(((validity.length + 7) >> 3) - values.length);
      const { bytes } = values;
      for (let i = from; i < from + count; i++, at++) {
        const set = data[i] === 1 && (bits === null || isValid(bits, i));
        if ((at & 7) === 0) bytes[at >> 3] = 0;
        if (set) bytes[at >> 3] = (bytes[at >> 3] ?? 0) | (1 << (at & 7));
      }
    },
    take: () => takePlain(validity, values),
    get size() {
      return values.length;
    },
  };
}

/** Gathers a column of nulls only. */
function nulls(): Gatherer {
  let length = 0;
  return {
    append: (_vector, _from, count) => {
      length += count;
    },
    take: () => {
      const taken = { length, nulls: length, validity: null, bytes: null, offsets: null, children: [] };
      length = 0;
      return taken;
    },
    size: 0,
  };
}
