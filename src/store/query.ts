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

/** What is selected, and how its values are read: `width` of them, from `at` on. `member` is for the message of an error. */
export interface ResultColumn<T> {
  readonly value: Sql;
  readonly width: number;
  readonly read: (record: readonly SqlValue[], at: number, member: string) => T;
}

type ResultColumns<Row> = { readonly [Member in keyof Row]: ResultColumn<Row[Member]> };

/** `from` is what follows the select list, with the space before it. */
export function select<Row extends object>(columns: ResultColumns<Row>, from: Sql): Selection<Row> {
  const { value, width, read } = together(columns);
  return {
    sql: sql`SELECT ${value}${from}`,
    read: (record) => {
      if (record.length !== width) throw new TypeError("a record of another select list");
      return read(record, 0, "record");
    },
  };
}

/** Columns that are one value; `value` spells their list where it is not to be one line. */
export function together<Row extends object>(columns: ResultColumns<Row>, value?: Sql): ResultColumn<Row> {
  const members = Object.entries<ResultColumn<unknown>>(columns);
  let width = 0;
  const readers = members.map(([member, one]) => {
    const at = width;
    width += one.width;
    return { member, at, read: one.read };
  });
  const list = members.map(([, one]) => one.value);
  return {
    value: value ?? join(list, sql`, `),
    width,
    read: (record, from) => {
      const row: Record<string, unknown> = {};
      for (const { member, at, read } of readers) row[member] = read(record, from + at, member);
      return row as Row;
    },
  };
}

/** Columns that are one list. */
export function several<T>(columns: readonly ResultColumn<T>[]): ResultColumn<readonly T[]> {
  const { value, width, read } = together<Record<string, T>>(Object.fromEntries(columns.entries()));
  return { value, width, read: (record, at, member) => Object.values(read(record, at, member)) };
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

/** The same records, each made into something else. */
export function mapped<Row, Made>(selection: Selection<Row>, make: (row: Row) => Made): Selection<Made> {
  return { sql: selection.sql, read: (record) => make(selection.read(record)) };
}

type Kind<T> = (value: Sql) => ResultColumn<T>;

function kind<T>(what: string, read: (value: SqlValue | undefined) => T | undefined): Kind<T> {
  const strict = (record: readonly SqlValue[], at: number, member: string) => {
    const found = read(record[at]);
    if (found === undefined) {
      throw new TypeError(`${member} is not ${what} but ${typeof record[at]} ${String(record[at])}`);
    }
    return found;
  };
  return (value) => ({ value, width: 1, read: strict });
}

/** How the columns of a result are read. A value of another type, or null, is a `TypeError`. */
export const column = {
  /** Of at most 2^53: keys, counts. */
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

export function nullable<T>({ value, width, read }: ResultColumn<T>): ResultColumn<T | null> {
  return {
    value,
    width,
    read: (record, at, member) => (record[at] === null ? null : read(record, at, member)),
  };
}
