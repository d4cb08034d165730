/**
 * What a statement may cost, told from its text. DuckDB interrupts a statement, and counts its memory, between the
 * chunks of 2,048 records that it works on. What one chunk costs has to be bounded before it runs.
 */
export const LIMITS = {
  /** Of the statement's text. */
  characters: 65_536,
  /** Beginnings of comments: DuckDB reads the rest of the text again for each that does not end. */
  comments: 100,
  /** Of the statement's tree in JSON, which the event loop reads at once. */
  treeCharacters: 2 ** 19,
  /** Bytes that all its expressions together make of one record: 256 MiB a chunk. */
  madeBytes: 131_072,
  /** Items of one list, such as those of `in`, `values` or `case`. */
  items: 1_000,
  /** Columns of one query, stars written out. */
  columns: 1_000,
  /** Expressions in expressions. */
  depth: 100,
  /** Scalar subqueries in subqueries. DuckDB's planning time doubles with each. */
  subqueries: 8,
  /** Queries in queries, whatever their kind. */
  queries: 50,
  /** Tables that are read. A table expression counts where it is defined, and once wherever it is named. */
  tables: 40,
  /** Terms of one expression, with those of the columns that it is made of. */
  terms: 2_000,
  /** What one query groups or sorts by. */
  keys: 100,
  /** Sets that `cube`, `rollup` and `grouping sets` group by. */
  groupingSets: 64,
  /** Records of a sample, which DuckDB keeps in memory. */
  sample: 100_000,
  /** A constant that makes text or lists longer. */
  width: 1_000,
  /** Steps of a search in one record: length of the text times that of what is looked for. */
  searchSteps: 2 ** 20,
  /** The same of a regular expression: length of the text times its states. */
  regexSteps: 2 ** 18,
  /** The same of a pattern whose wildcards are tried at every place. */
  patternSteps: 2 ** 18,
} as const;

/** What a stored value is taken to have, in bytes. */
export const STORED_BYTES = 512;

/** A number, a time, or an element of a list at least. */
export const SHORT_BYTES = 16;
