import type { Column } from "../../store/session.ts";
import type { SqlType, SqlValue } from "../../store/sql.ts";

export const TYPES: { readonly [Type in SqlType]: string } = {
  INTEGER: "Int32",
  BIGINT: "Int64",
  UBIGINT: "UInt64",
  UTINYINT: "UInt8",
  DOUBLE: "Float64",
  BOOLEAN: "Bool",
  VARCHAR: "String",
  BLOB: "String",
};

/** The values of a column, in lists by the names of parameters. */
type Lists = Readonly<Record<string, readonly Exclude<SqlValue, null>[]>>;

/** Loaded columns as an item of a WITH clause, and what it binds. */
export interface LoadedRelation {
  readonly name: string;
  readonly text: string;
  readonly lists: Lists;
}

/** A value of a request may have 128 KiB, with a backslash before some letters. */
const MOST_BYTES = 60_000;
const NUMBER_BYTES = 22;

export function loadedName(name: string): string {
  return `loaded_${name}`;
}

/** Columns of values that are not null. */
export function loadedRelation(name: string, columns: readonly Column[]): LoadedRelation {
  const lists: Record<string, readonly Exclude<SqlValue, null>[]> = {};
  const arrays = columns.map(({ type, values }, column) => {
    const pieces = piecesOf(Array.from(values, plainValue));
    const names = pieces.map((piece, i) => {
      const parameter = `${loadedName(name)}_${column}_${i}`;
      lists[parameter] = piece;
      return `{${parameter}:Array(${TYPES[type]})}`;
    });
    return names.length === 1 ? names.join("") : `arrayConcat(${names.join(", ")})`;
  });
  const selected = columns.map((column, i) => `tupleElement(one, ${i + 1}) AS ${column.name}`);
  const text = `SELECT ${selected.join(", ")} FROM (SELECT arrayJoin(arrayZip(${arrays.join(", ")})) AS one)`;
  return { name: loadedName(name), text, lists };
}

function plainValue(value: SqlValue | Uint8Array): Exclude<SqlValue, null> {
  if (value === null || value instanceof Uint8Array)
    throw new TypeError("columns that are loaded for a statement of ClickHouse have no nulls and no bytes");
  return value;
}

/** At least one piece. */
function piecesOf<T extends Exclude<SqlValue, null>>(values: readonly T[]): T[][] {
  const pieces: T[][] = [[]];
  let bytes = 0;
  for (const value of values) {
    bytes += typeof value === "string" ? Buffer.byteLength(value) + 3 : NUMBER_BYTES;
    if (bytes > MOST_BYTES) {
      pieces.push([]);
      bytes = 0;
    }
    pieces.at(-1)?.push(value);
  }
  return pieces;
}
