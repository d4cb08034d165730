import type { ColumnType } from "../../store/columns.ts";
import { constant, identifier, join, sql, type Sql } from "../../store/sql.ts";

/** Replaces a value that is not nested; null leaves it unchanged. */
type Change = (type: ColumnType, value: Sql) => Sql | null;

/** The value with `change` applied inside it at any depth; null where nothing changes. */
export function changedWithin(type: ColumnType, value: Sql, change: Change, depth = 0): Sql | null {
  const item = identifier(`item${depth}`);
  if (type.kind === "list" || type.kind === "fixed list") {
    const changed = changedWithin(type.item, item, change, depth + 1);
    return changed === null ? null : sql`list_transform(${value}, lambda ${item}: ${changed})`;
  }
  if (type.kind === "map") {
    const changed = changedWithin(type.value, sql`${item}.value`, change, depth + 1);
    if (changed === null) return null;
    const entry = sql`{'key': ${item}.key, 'value': ${changed}}`;
    return sql`map_from_entries(list_transform(map_entries(${value}), lambda ${item}: ${entry}))`;
  }
  if (type.kind !== "struct") return change(type, value);
  const fields = type.fields.map((field, i) => {
    const whole = sql`struct_extract_at(${value}, ${constant(i + 1)})`;
    return { name: field.name, whole, changed: changedWithin(field.type, whole, change, depth) };
  });
  if (fields.every(({ changed }) => changed === null)) return null;
  const members = fields.map(({ name, whole, changed }) => sql`${identifier(name)} := ${changed ?? whole}`);
  return sql`CASE WHEN ${value} IS NOT NULL THEN struct_pack(${join(members)}) END`;
}

/** Replaces infinity and NaN, which JSON cannot hold, by null. */
export const onlyFinite: Change = ({ kind }, value) =>
  kind === "float" ? sql`CASE WHEN isfinite(${value}) THEN ${value} END` : null;

/** Casts integers of 128 bits to decimals, because DuckDB would write them to Parquet as doubles. */
export const wideAsDecimals: Change = (type, value) =>
  type.kind === "decimal" && type.precision === 38 && type.scale === 0
    ? sql`CAST(${value} AS DECIMAL(38, 0))`
    : null;
