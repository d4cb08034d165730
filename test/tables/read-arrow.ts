import type { Table } from "apache-arrow";
import { plainTable, type PlainTable } from "./expected-table.ts";

export function fromArrow(table: Table): PlainTable {
  const names = table.schema.fields.map(({ name }) => name);
  const columns = names.map((_, i) => table.getChildAt(i));
  const records = Array.from({ length: table.numRows }, (_, row) =>
    columns.map((column) => column?.get(row) as unknown),
  );
  return plainTable(names, records);
}

/** Names, types (texts are texts, whichever way they are laid out) and values, the texts of JSON letter by letter. */
export function rawValues(table: Table): unknown {
  const columns = table.schema.fields.map((_, i) =>
    Array.from(table.getChildAt(i) ?? [], (value: unknown) => value),
  );
  return {
    fields: table.schema.fields.map(({ name, type }) => `${name}: ${String(type).replace("View", "")}`),
    columns,
  };
}
