/**
 * Limits on the cost of a statement, which is derived from its text. DuckDB interrupts a statement, and counts its
 * memory, between the chunks of 2,048 records that it works on, so the cost of one chunk has to be bounded before it
 * runs.
 */
export const LIMITS = {
  /** Length of the statement's text. */
  characters: 65_536,
  /** Beginnings of comments, since DuckDB reads the rest of the text again for each comment that does not end. */
  comments: 100,
  /** Length of the statement's tree in JSON, which the event loop reads at once. */
  treeCharacters: 2 ** 19,
  /** Bytes that all expressions together make per record, which is 256 MiB per chunk. */
  madeBytes: 131_072,
  /** Items of one list, such as those of `in`, `values` or `case`. */
  items: 1_000,
  /** Columns of one query, with stars expanded. */
  columns: 1_000,
  /** Levels of nested expressions. */
  depth: 100,
  /** Levels of nested scalar subqueries and lambdas. DuckDB's planning time doubles with each subquery. */
  subqueries: 8,
  /** Levels of nested queries of any kind. */
  queries: 50,
  /**
   * Tables that are read. A common table expression counts where it is defined and once at each reference; one that
   * is NOT MATERIALIZED counts with all its tables at each reference.
   */
  tables: 40,
  /** Terms of one expression, including those of the columns that it is made of. */
  terms: 2_000,
  /** Expressions that one query groups or sorts by. */
  keys: 100,
  /** Grouping sets of `cube`, `rollup` and `grouping sets`. */
  groupingSets: 64,
  /** Records of a sample, which DuckDB keeps in memory. */
  sample: 100_000,
  /** Largest constant that sets the length of a text or a list. */
  width: 1_000,
  /** Steps of a search in one record: length of the text times the length of the text to find. */
  searchSteps: 2 ** 20,
  /** Steps of a regular expression in one record: length of the text times the number of its states. */
  regexSteps: 2 ** 18,
  /** Steps of a pattern in one record, where its wildcards are tried at every position of the text. */
  patternSteps: 2 ** 18,
} as const;

/** Assumed size of a stored value in bytes. */
export const STORED_BYTES = 512;

/** Size of a number or a time, and the least size of a list's element, in bytes. */
export const SHORT_BYTES = 16;
