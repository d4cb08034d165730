import type { Key } from "../model/digest.ts";

/** DuckDB names of the types of bound values and loaded columns. */
export type SqlType =
  | "INTEGER"
  | "BIGINT"
  | "UBIGINT"
  | "UTINYINT"
  | "DOUBLE"
  | "BOOLEAN"
  | "VARCHAR"
  | "BLOB";

/** A value that a statement binds. */
export type SqlValue = null | boolean | number | bigint | string;

/** A bound value and its type in DuckDB. */
export interface SqlParameter {
  /** Name of the type, such as `BIGINT`. */
  readonly type: SqlType;
  /** The value itself. */
  readonly value: SqlValue;
}

/** What databases spell differently. */
interface Spelling {
  readonly spell: (dialect: Dialect) => Sql;
}

/** A statement or a fragment; `holes` belong between the `parts`, in order. */
export interface Sql {
  readonly parts: readonly string[];
  readonly holes: readonly (SqlParameter | Spelling)[];
}

/** A part of the records of a FROM clause, in an order. */
export interface RecordPage {
  /** What is selected, and the names that it gets. */
  readonly columns: readonly { readonly value: Sql; readonly name: Sql }[];
  readonly from: Sql;
  readonly order: Sql;
  /** Null for all. */
  readonly limit: number | null;
  readonly offset: number;
}

/** How a database spells what has no common spelling. Pure functions from SQL to SQL. */
export interface Dialect {
  /** The placeholder of the parameter with this number, from 1 on. */
  readonly parameter: (number: number, type: SqlType, isNull: boolean) => string;
  /** The columns that a session has loaded under a name, as a FROM item. */
  readonly loaded: (name: string) => Sql;
  /** A number as BIGINT, rounded to the nearest integer, of two to the even one. */
  readonly roundToInteger: (number: Sql) => Sql;
  /** The sum of BIGINT over a group, in an integer of 128 bits. */
  readonly wideSum: (integer: Sql) => Sql;
  /** A value as one of 128 bits. */
  readonly wide: (integer: Sql) => Sql;
  /** The quotient of two integers, cut. */
  readonly divideIntegers: (dividend: Sql, divisor: Sql) => Sql;
  /** The exact sum of doubles over a group, rounded once; null without a number. */
  readonly exactSum: (number: Sql) => Sql;
  /** The exact quotient of an integer of BIGINT by 2^bits, rounded down, and the remainder, which is not negative. */
  readonly highBits: (integer: Sql, bits: number) => Sql;
  readonly lowBits: (integer: Sql, bits: number) => Sql;
  /** `body` with the variable `name` bound to `value`, which is computed once per record. */
  readonly bind: (value: Sql, name: Sql, body: Sql) => Sql;
  /** A value with named members, for `bind`: `name.member` in its body. */
  readonly record: (members: readonly { readonly name: Sql; readonly value: Sql }[]) => Sql;
  /** A relation of a WITH clause that has these records, one at least. */
  readonly relationOf: (name: Sql, columns: readonly Sql[], records: readonly (readonly Sql[])[]) => Sql;
  /** The columns of a relation that a WITH clause names. */
  readonly columnsOf: (relation: Sql, columns: readonly Sql[]) => Sql;
  /** A condition like `IN` for the keys of many records of a large table. */
  readonly amongKeys: (column: Sql, keys: readonly Key[]) => Sql;
  /** Whether there is an index of trials, and so many of them that a page finds its own faster by it. */
  readonly manyTrials: Sql;
  /** Whether stubs stand instead of some long texts (`texts`). */
  readonly longTexts: Sql;
  /** Whether a document is a stub. */
  readonly isStub: (document: Sql) => Sql;
  /** The key of the long text of an output or a document; null where it has none. */
  readonly textKey: (document: Sql) => Sql;
  /** Whether that of an output stands in its member `output`. */
  readonly isOutput: (output: Sql) => Sql;
  /** The bytes of the text of a stub; null for what is none. */
  readonly textBytes: (document: Sql) => Sql;
  /**
   * The trials `t` for which a condition holds as a FROM item, with these long texts in their outputs and as
   * `model_text`; `is_output`: in the member `output`.
   */
  readonly trialsWith: (condition: Sql, textKeys: readonly number[]) => Sql;
  /** (text_key, txt): these long texts. */
  readonly textsOf: (keys: readonly number[]) => Sql;
  /** (row_key, digest, document): documents, with these long texts instead of their stubs. */
  readonly documentsWith: (documents: Sql, textKeys: readonly number[]) => Sql;
  /** (trial_key, number, text) as a FROM item, of lists as JSON. */
  readonly readingsOf: (keys: string, numbers: string, texts: string) => Sql;
  /** A condition on records of a large table, the only one of its statement; `most` are expected to fulfil it. */
  readonly ofFew: (table: Sql, condition: Sql, most: number) => Sql;
  /**
   * The trials with their `tokens` and `own_tokens` as a FROM item, which leaves out of `trials` what a count of them
   * need not read.
   */
  readonly trialTokens: Sql;
  /** The hash of a call with an id, by which calls below it name it. */
  readonly callHash: (of: { readonly projectKey: number; readonly projectId: string }, id: Sql) => Sql;
  /** The calls that are not hidden and began, as a FROM item: `hash`, `parent_hash` and the columns of calls. */
  readonly callTree: Sql;
  /** Null as the key of a row. */
  readonly noRowKey: Sql;
  /** The relation `selected`, as a FROM item to join with. */
  readonly selected: Sql;
  /** The number of distinct evaluations in a group of records, which has these alone. */
  readonly countEvaluations: (keys: readonly number[], column: Sql) => Sql;
  /** An aggregate over the records of a group that fulfil a condition. */
  readonly filtered: (aggregate: Sql, condition: Sql) => Sql;
  /** The value of the first record of a group, null too; of those that fulfil `condition`, where there is one. */
  readonly firstBy: (value: Sql, order: Sql, condition?: Sql) => Sql;
  /** The value, which is not null, of the last record of a group. */
  readonly lastBy: (value: Sql, order: Sql) => Sql;
  /** Whether a condition holds for all, for any records of a group. */
  readonly every: (condition: Sql) => Sql;
  readonly some: (condition: Sql) => Sql;
  /** An integer as one of 8 bits, without a sign. */
  readonly small: (integer: Sql) => Sql;
  /** Selected columns of JSON that `jsonAt` reads: `column` is called with what is added to each of their names. */
  readonly jsonColumns: (column: (suffix: Sql) => Sql) => Sql;
  /** The value at a JSON pointer of a column as JSON, null where there is none. */
  readonly jsonAt: (document: Sql, pointer: string) => Sql;
  /** JSON as text, null for a JSON null. */
  readonly jsonText: (json: Sql) => Sql;
  /** The number at a JSON pointer as a double, null for what is no number, or negative. */
  readonly amountAt: (document: Sql, pointer: string) => Sql;
  /** The names of the members of those that are objects, each once, as a list. */
  readonly memberNames: (documents: readonly Sql[]) => Sql;
  /** The member of an object with a name as JSON, null where there is none; whether it is an object. */
  readonly memberNamed: (document: Sql, name: Sql) => Sql;
  /** The items of a JSON list as a list, of another value a list of it alone. */
  readonly itemsOf: (json: Sql) => Sql;
  /** The value at a JSON pointer of a record that was sent, as JSON; null where the record cannot be read. */
  readonly recordAt: (record: Sql, pointer: string) => Sql;
  /** The value at a JSON pointer of a record that was sent, as text; null where the record cannot be read. */
  readonly recordTextAt: (record: Sql, pointer: string) => Sql;
  /** The value of the one member that a member of an object has, as JSON; null where that has none or several. */
  readonly onlyMember: (document: Sql, name: string) => Sql;
  /** The value at a JSON pointer inside the model output of the output of a call. */
  readonly modelOutputAt: (output: Sql, pointer: string) => Sql;
  /** The model output of the trial `t` as text, null for a JSON null. */
  readonly modelOutputText: Sql;
  /** Whether the member `scores` of the output of a call is an object. */
  readonly hasScores: (output: Sql) => Sql;
  /** Whether a FROM clause has a record. */
  readonly exists: (from: Sql) => Sql;
  /** Null, as a value of a type where several selections are united. */
  readonly nothing: (type: SqlType | "HUGEINT") => Sql;
  /** A selected column whose own name is `name`, which other relations have too. */
  readonly named: (column: Sql, name: Sql) => Sql;
  /** The records of a FROM clause as a FROM item. */
  readonly recordsOf: (from: Sql) => Sql;
  /** The records of a page, with their places on it, from 0 on, as the column `place`. */
  readonly placed: (page: RecordPage) => Sql;
  /** One record for each item of a list. */
  readonly unnested: (list: Sql) => Sql;
  /** All columns but one. */
  readonly allBut: (column: Sql) => Sql;
  /** The positions in a group of records, as the bits of an integer. */
  readonly bitsOf: (position: Sql) => Sql;
  /** The values of a group as text, in order, with commas between them. */
  readonly joinedTexts: (value: Sql, order: Sql, separator: Sql) => Sql;
  /** What WITH says of a relation that is written out where it is used. */
  readonly inlined: Sql;
  /** What grows with the place of the first record of a trial among all that were stored; columns of `trials`. */
  readonly storedOrder: Sql;
  /** The median of the numbers of a group; null without any. */
  readonly median: (number: Sql) => Sql;
  /** A number as BIGINT, halves to the even one; null where it does not fit. */
  readonly integerOrNull: (number: Sql) => Sql;
  /**
   * Counts of numbers up to each of ascending edges and above the one before: a record (key, value) for each edge that
   * has any.
   */
  readonly binned: (number: Sql, edges: Sql) => Sql;
  /** The list of doubles, written as JSON, under the key that a column has. */
  readonly doublesOf: (column: Sql, lists: ReadonlyMap<number, string>) => Sql;
  /**
   * A text in which other text stands instead of each match of a pattern of RE2; `\1` in it is the first group, empty
   * without one.
   */
  readonly replaced: (value: Sql, pattern: Sql, by: Sql) => Sql;
  /** The first characters of a text. */
  readonly beginning: (value: Sql, characters: number) => Sql;
  /** Whether a text has a part, letter by letter. */
  readonly holds: (value: Sql, part: string) => Sql;
  /** Whether a pattern of RE2 matches anywhere in a text. */
  readonly matches: (value: Sql, pattern: Sql, caseInsensitive: boolean) => Sql;
}

/** A statement in the form that a driver takes, with numbered parameters. */
export interface SqlStatement {
  readonly sql: string;
  readonly params: readonly SqlParameter[];
}

/**
 * Builds SQL from a template. A hole takes another {@link Sql}, a {@link SqlParameter}, which becomes a bound value, or
 * a {@link Spelling}. A plain string cannot be spliced in.
 */
export function sql(texts: TemplateStringsArray, ...given: readonly (Sql | SqlParameter | Spelling)[]): Sql {
  const parts: string[] = [texts[0] ?? ""];
  const holes: (SqlParameter | Spelling)[] = [];
  const extend = (text: string) => {
    parts[parts.length - 1] += text;
  };
  for (const [i, hole] of given.entries()) {
    if ("parts" in hole) {
      extend(hole.parts[0] ?? "");
      for (let k = 1; k < hole.parts.length; k++) parts.push(hole.parts[k] ?? "");
      for (const inner of hole.holes) holes.push(inner);
    } else {
      parts.push("");
      holes.push(hole);
    }
    extend(texts[i + 1] ?? "");
  }
  return { parts, holes };
}

export const EMPTY: Sql = { parts: [""], holes: [] };
const COMMA: Sql = { parts: [", "], holes: [] };

/** A quoted identifier. */
export function identifier(name: string): Sql {
  return { parts: [`"${name.replaceAll('"', '""')}"`], holes: [] };
}

/** Writes a number of the program, such as a key or a power of two, into the statement, so that the planner sees it. */
export function constant(value: Key): Sql {
  if (typeof value === "bigint") return { parts: [String(value)], holes: [] };
  if (!Number.isFinite(value)) throw new RangeError(`${value} is no SQL constant`);
  const text =
    Number.isInteger(value) && Math.abs(value) < 2 ** 31 ? String(value) : `${value.toExponential()}::DOUBLE`;
  return { parts: [text], holes: [] };
}

/** Joins `items` with `separator` between them, which is a comma. */
export function join(items: readonly Sql[], separator: Sql = COMMA): Sql {
  const parts: string[] = [""];
  const holes: (SqlParameter | Spelling)[] = [];
  for (const [i, item] of items.entries()) {
    for (const piece of i === 0 ? [item] : [separator, item]) {
      parts[parts.length - 1] += piece.parts[0] ?? "";
      for (let k = 1; k < piece.parts.length; k++) parts.push(piece.parts[k] ?? "");
      for (const hole of piece.holes) holes.push(hole);
    }
  }
  return { parts, holes };
}

export const integer = (value: number | null): SqlParameter => ({ type: "INTEGER", value });
export const bigint = (value: number | bigint | null): SqlParameter => ({ type: "BIGINT", value });
export const double = (value: number | null): SqlParameter => ({ type: "DOUBLE", value });
export const boolean = (value: boolean | null): SqlParameter => ({ type: "BOOLEAN", value });
export const text = (value: string | null): SqlParameter => ({ type: "VARCHAR", value });

/** LIMIT and OFFSET. */
export function bounds({ limit, offset }: Pick<RecordPage, "limit" | "offset">): Sql {
  const most = limit === null ? EMPTY : sql` LIMIT ${bigint(limit)}`;
  return offset === 0 ? most : sql`${most} OFFSET ${bigint(offset)}`;
}

/** What databases spell differently, as SQL. */
export function spelled(spell: (dialect: Dialect) => Sql): Sql {
  return sql`${{ spell }}`;
}

/** The columns that `Session.load` was given under a name, as a FROM item. */
export function loaded(name: string): Sql {
  return spelled((dialect) => dialect.loaded(name));
}

/** Spells a finished statement and numbers its parameters. */
export function statement(query: Sql, dialect: Dialect): SqlStatement {
  const texts: string[] = [];
  const params: SqlParameter[] = [];
  const write = ({ parts, holes }: Sql) => {
    for (const [i, part] of parts.entries()) {
      texts.push(part);
      const hole = holes[i];
      if (hole === undefined) continue;
      if ("spell" in hole) write(hole.spell(dialect));
      else {
        params.push(hole);
        texts.push(dialect.parameter(params.length, hole.type, hole.value === null));
      }
    }
  };
  write(query);
  return { sql: texts.join(""), params };
}
