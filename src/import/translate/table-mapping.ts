/** One column, or several, by the names in the header; of scores also patterns such as `judge_*`. */
export type TableColumns = string | readonly string[];

/** The roles of a table's columns. A role that is not named is guessed from the header. */
export interface TableMapping {
  /** What identifies the dataset row. */
  readonly row?: TableColumns | undefined;
  /** The model. */
  readonly model?: TableColumns | undefined;
  /** Tells apart runs of one model. */
  readonly evaluation?: TableColumns | undefined;
  /** The task or benchmark. */
  readonly task?: TableColumns | undefined;
  /** What was asked. */
  readonly input?: TableColumns | undefined;
  /** The expected answer. */
  readonly expected?: TableColumns | undefined;
  /** What else belongs to the row; also patterns such as `meta_*`. Other columns without a role belong to the trial. */
  readonly field?: TableColumns | undefined;
  /** The answer. */
  readonly output?: TableColumns | undefined;
  /** Tells apart repeats of a row. */
  readonly trial?: TableColumns | undefined;
  /** Who gave the scores of a record, where several rate one trial: a score has a member for each. */
  readonly rater?: TableColumns | undefined;
  /** Scores; also patterns such as `judge_*`. */
  readonly score?: TableColumns | undefined;
  /** Why the trial failed; empty where it did not. */
  readonly error?: TableColumns | undefined;
  /** When the trial began: ISO 8601, or seconds or milliseconds since 1970. */
  readonly started?: TableColumns | undefined;
  /** Seconds; milliseconds where the name ends in `_ms`. */
  readonly latency?: TableColumns | undefined;
  /** Tokens that the trial took. */
  readonly tokens?: TableColumns | undefined;
  /** Cost in US dollars. */
  readonly cost?: TableColumns | undefined;
  /** Columns that are kept and mean nothing more. */
  readonly metadata?: TableColumns | undefined;
  /** Of a table with one record a score: the column of the score's name. */
  readonly metric?: TableColumns | undefined;
  /** Of a table with one record a score: the column of its value. */
  readonly value?: TableColumns | undefined;
  /** The model of every record; also of a log that does not name it. */
  readonly modelName?: string | undefined;
  /** The evaluation of every record. */
  readonly evaluationName?: string | undefined;
  /** The task of every record. */
  readonly taskName?: string | undefined;
  /** Columns that are models, whose cells are the score `scoreName`. */
  readonly modelColumns?: TableColumns | undefined;
  /** The score in the cells of `modelColumns`. */
  readonly scoreName?: string | undefined;
  /** `OUTPUT=EXPECTED`: two columns; the score `match` is whether their texts are equal. */
  readonly match?: string | undefined;
  /** `SCORE=TEXT`, such as `grade=CORRECT`: of a score of texts the one that is true; any other is false. */
  readonly trueValue?: TableColumns | undefined;
  /** The decimal sign of numbers that may be read in two ways: `comma` or `point`. */
  readonly decimal?: "comma" | "point" | undefined;
  /** Which sheets of a workbook are read; all that are shown where none is named. */
  readonly sheet?: TableColumns | undefined;
  /** Where the records are in a JSON object, such as `runs.results`. */
  readonly records?: string | undefined;
}

/** The members that are given, without those that are undefined. */
export function givenMembers(mapping: TableMapping): { readonly [member: string]: TableColumns } {
  return Object.fromEntries(Object.entries(mapping).filter(([, given]) => given !== undefined));
}

/** Columns as a list. */
export function listOf(columns: TableColumns | undefined): readonly string[] {
  if (columns === undefined) return [];
  return typeof columns === "string" ? [columns] : columns;
}
