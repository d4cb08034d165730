import * as arrow from "apache-arrow";

export const UTF8 = new arrow.Utf8();
export const MICROSECONDS = new arrow.TimestampMicrosecond();

/** The columns of a table: each its type, and its values as apache-arrow's own builders take them. */
export type Columns = Readonly<Record<string, readonly [arrow.DataType, readonly unknown[]]>>;

export function tableOf(columns: Columns): arrow.Table {
  const entries = Object.entries(columns);
  const schema = new arrow.Schema(entries.map(([name, [type]]) => field(name, type)));
  const children = entries.flatMap(([, [type, values]]) => arrow.vectorFromArray(values, type).data);
  const length = entries[0]?.[1][1].length ?? 0;
  const data = arrow.makeData({ type: new arrow.Struct(schema.fields), length, nullCount: 0, children });
  return new arrow.Table(schema, new arrow.RecordBatch(schema, data));
}

export function field(name: string, type: arrow.DataType, metadata: Readonly<Record<string, string>> = {}) {
  return new arrow.Field(name, type, true, new Map(Object.entries(metadata)));
}

const PAYLOADS = new Set(["attributes", "inputs", "output", "summary", "val"]);

/** Calls, or dataset rows, as a table: times in microseconds, payloads as JSON text. */
export function recordTable(records: readonly Readonly<Record<string, unknown>>[]): arrow.Table {
  return tableOf(recordColumns(records));
}

export function recordColumns(records: readonly Readonly<Record<string, unknown>>[]): Columns {
  const columns: Record<string, readonly [arrow.DataType, readonly unknown[]]> = {};
  for (const name of new Set(records.flatMap((record) => Object.keys(record)))) {
    const values = records.map((record) => record[name] ?? null);
    if (name.endsWith("_at"))
      columns[name] = [
        MICROSECONDS,
        values.map((value) => (typeof value === "string" ? Date.parse(value) : null)),
      ];
    else if (PAYLOADS.has(name))
      columns[name] = [UTF8, records.map((record) => (name in record ? JSON.stringify(record[name]) : null))];
    else columns[name] = [UTF8, values];
  }
  return columns;
}

/** Records, each as the JSON texts of its members, as a table: times in microseconds, payloads as JSON text. */
export function textTable(records: readonly ReadonlyMap<string, string>[]): arrow.Table {
  const names = [...new Set(records.flatMap((record) => [...record.keys()]))];
  const columns = names.map((name) => {
    const texts = records.map((record) => record.get(name) ?? null);
    if (PAYLOADS.has(name)) return [name, [UTF8, texts]] as const;
    const values = texts.map((text) => (text === null ? null : (JSON.parse(text) as string | null)));
    return [name, name.endsWith("_at") ? [ZONED, values.map(millisecondsOf)] : [UTF8, values]] as const;
  });
  return tableOf(Object.fromEntries(columns) as Columns);
}

const ZONED = new arrow.Timestamp(arrow.TimeUnit.MICROSECOND, "UTC");

function millisecondsOf(time: string | null): number | null {
  if (time === null) return null;
  if (!/[:\d]\d(\.\d{3}(000)?)?Z$/.test(time)) throw new Error(`${time} has more than milliseconds`);
  return Date.parse(time);
}
