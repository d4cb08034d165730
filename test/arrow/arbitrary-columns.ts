import * as arrow from "apache-arrow";
import { Map_ as MapType } from "apache-arrow";
import fc from "fast-check";
import { field } from "./table.ts";

/** A value as apache-arrow's builders take it, and as the JSON that it stands for. */
export interface Value {
  readonly arrow: unknown;
  readonly json: string;
}

/** A type with the values that it can have. */
export interface Kind {
  readonly type: arrow.DataType;
  readonly values: fc.Arbitrary<Value>;
}

const NONE: Value = { arrow: null, json: "null" };

function kind<T>(
  type: () => arrow.DataType,
  values: fc.Arbitrary<T>,
  json: (value: T) => string,
): fc.Arbitrary<Kind> {
  const present = values.map((value) => ({ arrow: value, json: json(value) }));
  return fc.constant(null).map(() => ({
    type: type(),
    values: fc.oneof({ weight: 5, arbitrary: present }, { weight: 1, arbitrary: fc.constant(NONE) }),
  }));
}

const text = fc.string({ unit: "grapheme", maxLength: 20 }).map((value) => value.toWellFormed());
/** The builder counts microseconds in doubles. */
const milliseconds = fc.integer({ min: -9e12, max: 9e12 });
const iso = (value: number) => new Date(value).toISOString();

const LEAVES: readonly fc.Arbitrary<Kind>[] = [
  kind(
    () => new arrow.Null(),
    fc.constant(null),
    () => "null",
  ),
  kind(() => new arrow.Bool(), fc.boolean(), String),
  kind(() => new arrow.Int16(), fc.integer({ min: -32_768, max: 32_767 }), String),
  kind(() => new arrow.Int64(), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), String),
  kind(() => new arrow.Uint64(), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), String),
  kind(() => new arrow.Float64(), fc.double({ noNaN: true, noDefaultInfinity: true }), JSON.stringify),
  kind(() => new arrow.Float32(), fc.float({ noNaN: true, noDefaultInfinity: true }), JSON.stringify),
  kind(() => new arrow.Utf8(), text, JSON.stringify),
  kind(() => new arrow.LargeUtf8(), text, JSON.stringify),
  kind(() => new arrow.Utf8View(), text, JSON.stringify),
  kind(
    () => new arrow.Dictionary(new arrow.Utf8(), new arrow.Int8()),
    fc.constantFrom("x", "é", ""),
    JSON.stringify,
  ),
  kind(
    () => new arrow.Binary(),
    fc.uint8Array({ maxLength: 9 }),
    (value) => `"${Buffer.from(value).toString("base64")}"`,
  ),
  kind(
    () => new arrow.Timestamp(arrow.TimeUnit.MICROSECOND, "UTC"),
    milliseconds,
    (value) => `"${iso(value).replace("Z", "000Z")}"`,
  ),
  kind(
    () => new arrow.TimestampMillisecond(),
    milliseconds,
    (value) => `"${iso(value).slice(0, -1)}"`,
  ),
  kind(
    () => new arrow.DateDay(),
    fc.integer({ min: -719_162, max: 2_932_896 }).map((day) => new Date(day * 86_400_000)),
    (value) => `"${value.toISOString().slice(0, 10)}"`,
  ),
];

const name = fc.oneof(fc.constantFrom("a", "b", "0", "12", "a.b", 'q"', "é", "model", "self"), text);

/** Kinds of values, nested up to `depth` levels. */
export function kinds(depth: number): fc.Arbitrary<Kind> {
  const leaf = fc.oneof(...LEAVES);
  if (depth === 0) return leaf;
  const inner = kinds(depth - 1);
  return fc.oneof({ weight: 2, arbitrary: leaf }, structs(inner), lists(inner), pairs(inner), maps(inner));
}

function nullable(type: arrow.DataType, values: fc.Arbitrary<Value>): Kind {
  return {
    type,
    values: fc.oneof({ weight: 6, arbitrary: values }, { weight: 1, arbitrary: fc.constant(NONE) }),
  };
}

export function structs(inner: fc.Arbitrary<Kind>): fc.Arbitrary<Kind> {
  const members = fc.uniqueArray(fc.tuple(name, inner), { maxLength: 4, selector: ([one]) => one });
  return members.map((list) => {
    const named = list.filter(([one]) => one !== "__proto__");
    const values = fc.tuple(...named.map(([, { values: of }]) => of)).map((of) => ({
      arrow: Object.fromEntries(of.map((value, i) => [named[i]?.[0] ?? "", value.arrow])),
      json: `{${of.map((value, i) => `${JSON.stringify(named[i]?.[0])}:${value.json}`).join(",")}}`,
    }));
    return nullable(new arrow.Struct(named.map(([one, { type }]) => field(one, type))), values);
  });
}

function listOf(items: readonly Value[]): Value {
  return { arrow: items.map((item) => item.arrow), json: `[${items.map((item) => item.json).join(",")}]` };
}

function lists(inner: fc.Arbitrary<Kind>): fc.Arbitrary<Kind> {
  return fc.tuple(inner, fc.boolean()).map(([{ type, values }, large]) => {
    const item = field("item", type);
    return nullable(
      large ? new arrow.LargeList(item) : new arrow.List(item),
      fc.array(values, { maxLength: 4 }).map(listOf),
    );
  });
}

function pairs(inner: fc.Arbitrary<Kind>): fc.Arbitrary<Kind> {
  return inner.map(({ type, values }) =>
    nullable(new arrow.FixedSizeList(2, field("item", type)), fc.tuple(values, values).map(listOf)),
  );
}

function maps(inner: fc.Arbitrary<Kind>): fc.Arbitrary<Kind> {
  return inner.map(({ type, values }) => {
    const entries = new arrow.Struct([new arrow.Field("key", new arrow.Utf8(), false), field("value", type)]);
    const entry = fc.uniqueArray(fc.tuple(text, values), { maxLength: 3, selector: ([key]) => key });
    return nullable(
      new MapType(new arrow.Field("entries", entries, false)) as arrow.DataType,
      entry.map((list) => ({
        arrow: new Map(list.map(([key, value]) => [key, value.arrow])),
        json: `{${list.map(([key, value]) => `${JSON.stringify(key)}:${value.json}`).join(",")}}`,
      })),
    );
  });
}
