import type { Key } from "../model/digest.ts";
import { join, sql, type Sql, type SqlValue } from "./sql.ts";

/** A statement, and the function that reads each of its records. */
export interface Query<Row> extends Selection<Row> {
  /** The name of the statement in the output of `explain`. */
  readonly name: string;
  /** Whether its texts are read whole where stubs stand instead of long ones. */
  readonly whole?: true;
  /** Where its records about disjoint sets of rows may be added up: how. */
  readonly adding?: Adding | undefined;
}

/** What a query, as a function makes it, reads of each record. */
export type RowOf<Compile extends (...given: never[]) => Query<unknown>> =
  ReturnType<Compile> extends Query<infer Row> ? Row : never;

/**
 * The names of all columns in order: those that records have in common, then those that are added, or null in all of
 * them.
 */
export interface Adding {
  readonly keys: readonly string[];
  readonly sums: readonly string[];
}

/** A SELECT or a union of several, and the function that reads each of its records. */
export interface Selection<Row> {
  readonly sql: Sql;
  readonly read: (record: readonly SqlValue[]) => Row;
}

/** Selected values and how they are read: `width` values from index `at` on. `member` names them in error messages. */
export interface ResultColumn<T> {
  readonly value: Sql;
  readonly width: number;
  readonly read: (record: readonly SqlValue[], at: number, member: string) => T;
}

type ResultColumns<Row> = { readonly [Member in keyof Row]: ResultColumn<Row[Member]> };

/** Builds a SELECT; `from` is the text after the select list, including the space before it. */
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

/** Combines columns into one object; `value` replaces the select list where it needs a layout of its own. */
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
    value: value ?? join(list),
    width,
    read: (record, from) => {
      const row: Record<string, unknown> = {};
      for (const { member, at, read } of readers) row[member] = read(record, from + at, member);
      return row as Row;
    },
  };
}

/** Combines columns into one list. */
export function several<T>(columns: readonly ResultColumn<T>[]): ResultColumn<readonly T[]> {
  const { value, width, read } = together<Record<string, T>>(Object.fromEntries(columns.entries()));
  return { value, width, read: (record, at, member) => Object.values(read(record, at, member)) };
}

/** The union of selections with the same members. Throws `RangeError` where there are none. */
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

/** Names a selection; `statement` is the whole SQL where it has more than the selection, such as a WITH clause. */
export function query<Row>(
  name: string,
  { sql: own, read }: Selection<Row>,
  statement: Sql = own,
  adding?: Adding,
): Query<Row> {
  return { name, sql: statement, read, adding };
}

/** The same query, of which long texts are read too; it should have few records. */
export function withTexts<Row>(one: Query<Row>): Query<Row> {
  return { ...one, whole: true };
}

/** Applies `make` to each record of a selection. */
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

/** Readers of result columns. They throw `TypeError` on a value of another type and on null. */
export const column = {
  /** Integers up to 2^53, such as keys and counts. */
  integer: kind("an integer", (value) =>
    typeof value === "number" ? value : typeof value === "bigint" ? Number(value) : undefined,
  ),
  /** Keys as they are stored. */
  key: kind("a key", (value): Key | undefined =>
    typeof value === "number" || typeof value === "bigint" ? value : undefined,
  ),
  bigint: kind("a bigint", (value) =>
    typeof value === "bigint" ? value : typeof value === "number" ? BigInt(value) : undefined,
  ),
  double: kind("a double", (value) => (typeof value === "number" ? value : undefined)),
  /** Conditions, which are 0 or 1 on some databases. */
  boolean: kind("a boolean", (value) =>
    typeof value === "boolean" ? value : value === 0 || value === 1 ? value === 1 : undefined,
  ),
  text: kind("a text", (value) => (typeof value === "string" ? value : undefined)),
} as const;

export function nullable<T>({ value, width, read }: ResultColumn<T>): ResultColumn<T | null> {
  return {
    value,
    width,
    read: (record, at, member) => (record[at] === null ? null : read(record, at, member)),
  };
}

/**
 * Where `Store.scratch` makes tables, as the database of their names. DuckDB names a database by its file, whose name
 * has no slash.
 */
export const SCRATCH = "/scratch";
