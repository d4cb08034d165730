import type { Table } from "apache-arrow";

/** A record of a table: a view whose members are read from the columns when they are asked for. */
export type RecordOf<Row extends object> = Row & {
  /** Copies the record into a plain object. */
  toJSON(): Row;
};

/** An apache-arrow table whose records are read as `Row`. */
export type TableOf<Row extends object> = {
  /** A view of each record. `table.toArray().map((record) => record.toJSON())` has plain objects. */
  toArray(): RecordOf<Row>[];
  /** A view of the record at a position; null beyond the last. */
  get(position: number): RecordOf<Row> | null;
  [Symbol.iterator](): IterableIterator<RecordOf<Row>>;
} & Table;
