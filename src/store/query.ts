import { join, sql, type Sql, type SqlValue } from "./sql.ts";

/** A statement and how each of its records is read. */
export interface Query<Row> extends Selection<Row> {
  /** What it asks for, in the words of `explain`. */
  readonly name: string;
}

/** A SELECT, or several in one, and how each of its records is read. */
export interface Selection<Row> {
  readonly sql: Sql;
  readonly read: (record: readonly SqlValue[]) => Row;
}

/** What is selected, and how its values are read. `member` names it where a value is of another type. */
export interface ResultColumn<T> {
  readonly value: Sql;
  readonly read: (value: SqlValue, member: string) => T;
}

export type ResultColumns<Row> = { readonly [Member in keyof Row]: ResultColumn<Row[Member]> };

/** `from` is what follows the select list, with the space before it. */
export function select<Row extends object>(columns: ResultColumns<Row>, from: Sql): Selection<Row> {
  const members = Object.entries<ResultColumn<unknown>>(columns);
  const list = join(
    members.map(([, { value }]) => value),
    sql`, `,
  );
  const readers = members.map(([member, { read }]) => [member, read] as const);
  return {
    sql: sql`SELECT ${list}${from}`,
    read: (record) => {
      const row: Record<string, unknown> = {};
      for (let i = 0; i < readers.length; i++) {
        const reader = readers[i];
        const value = record[i];
        if (reader === undefined || value === undefined)
          throw new TypeError("a record of another select list");
        row[reader[0]] = reader[1](value, reader[0]);
      }
      return row as Row;
    },
  };
}

/** Selections with the same members; there is at least one. */
export function unionAll<Row>(
  parts: readonly Selection<Row>[],
  separator: Sql = sql` UNION ALL `,
): Selection<Row> {
  const [first] = parts;
  if (first === undefined) throw new RangeError("a union of no selection");
  const all = join(
    parts.map((part) => part.sql),
    separator,
  );
  return { sql: all, read: first.read };
}

/** `statement`: the selection with what stands around it. */
export function query<Row>(
  name: string,
  { sql: own, read }: Selection<Row>,
  statement: Sql = own,
): Query<Row> {
  return { name, sql: statement, read };
}

type Kind<T> = (value: Sql) => ResultColumn<T>;

function kind<T>(what: string, read: (value: SqlValue) => T | undefined): Kind<T> {
  const strict = (value: SqlValue, member: string) => {
    const found = read(value);
    if (found === undefined)
      throw new TypeError(`${member} is not ${what} but ${typeof value} ${String(value)}`);
    return found;
  };
  return (value) => ({ value, read: strict });
}

/** How the columns of a result are read. A value of another type, or null, is a `TypeError`. */
export const column = {
  /** An integer of at most 2^53: keys, counts. */
  integer: kind("an integer", (value) =>
    typeof value === "number" ? value : typeof value === "bigint" ? Number(value) : undefined,
  ),
  bigint: kind("a bigint", (value) =>
    typeof value === "bigint" ? value : typeof value === "number" ? BigInt(value) : undefined,
  ),
  double: kind("a double", (value) => (typeof value === "number" ? value : undefined)),
  boolean: kind("a boolean", (value) => (typeof value === "boolean" ? value : undefined)),
  text: kind("a text", (value) => (typeof value === "string" ? value : undefined)),
} as const;

export function nullable<T>({ value, read }: ResultColumn<T>): ResultColumn<T | null> {
  return { value, read: (found, member) => (found === null ? null : read(found, member)) };
}
