/** One column, or several, by the names in the header; of scores also patterns such as `judge_*`. */
export type TableColumns = string | readonly string[];

/** The roles of a table's columns. A role that is not named is guessed from the header. */
export interface TableMapping {
  /** What identifies the dataset row. */
  readonly row?: TableColumns;
  /** The model. */
  readonly model?: TableColumns;
  /** Tells apart runs of one model. */
  readonly evaluation?: TableColumns;
  /** The task or benchmark. */
  readonly task?: TableColumns;
  /** What was asked. */
  readonly input?: TableColumns;
  /** The expected answer. */
  readonly expected?: TableColumns;
  /** The answer. */
  readonly output?: TableColumns;
  /** Tells apart repeats of a row. */
  readonly trial?: TableColumns;
  /** Scores; also patterns such as `judge_*`. */
  readonly score?: TableColumns;
  /** Why the trial failed; empty where it did not. */
  readonly error?: TableColumns;
  /** When the trial began: ISO 8601, or seconds or milliseconds since 1970. */
  readonly started?: TableColumns;
  /** Seconds; milliseconds where the name ends in `_ms`. */
  readonly latency?: TableColumns;
  /** Tokens that the trial took. */
  readonly tokens?: TableColumns;
  /** Cost in US dollars. */
  readonly cost?: TableColumns;
  /** Columns that are kept and mean nothing more. */
  readonly metadata?: TableColumns;
  /** Of a table with one record a score: the column of the score's name. */
  readonly metric?: TableColumns;
  /** Of a table with one record a score: the column of its value. */
  readonly value?: TableColumns;
  /** The model of every record; also of a log that does not name it. */
  readonly modelName?: string;
  /** The evaluation of every record. */
  readonly evaluationName?: string;
  /** The task of every record. */
  readonly taskName?: string;
  /** Columns that are models, whose cells are the score `scoreName`. */
  readonly modelColumns?: TableColumns;
  /** The score in the cells of `modelColumns`. */
  readonly scoreName?: string;
  /** `OUTPUT=EXPECTED`: two columns; the score `match` is whether their texts are equal. */
  readonly match?: string;
  /** The decimal sign of numbers that may be read in two ways: `comma` or `point`. */
  readonly decimal?: "comma" | "point";
  /** Where the records are in a JSON object, such as `runs.results`. */
  readonly records?: string;
}

const COLUMN_MEMBERS = [
  "row",
  "model",
  "evaluation",
  "task",
  "input",
  "expected",
  "output",
  "trial",
  "score",
  "error",
  "started",
  "latency",
  "tokens",
  "cost",
  "metadata",
  "metric",
  "value",
  "modelColumns",
] as const;

const NAME_MEMBERS = [
  "modelName",
  "evaluationName",
  "taskName",
  "scoreName",
  "match",
  "decimal",
  "records",
] as const;

/** What is wrong with a mapping, as the end of a sentence; null where nothing is. */
export function mappingFault(mapping: Readonly<Record<string, unknown>>): string | null {
  for (const [name, value] of Object.entries(mapping)) {
    if (value === undefined) continue;
    const isColumns = COLUMN_MEMBERS.some((member) => member === name);
    if (!isColumns && !NAME_MEMBERS.some((member) => member === name))
      return `has no member ${JSON.stringify(name)}; there are ${[...COLUMN_MEMBERS, ...NAME_MEMBERS].join(", ")}`;
    const isList = Array.isArray(value) && value.every((one) => typeof one === "string");
    if (typeof value !== "string" && !(isColumns && isList))
      return `needs ${isColumns ? "a column or a list of columns" : "a text"} as ${name}`;
  }
  const { decimal } = mapping;
  if (decimal === undefined || decimal === "comma" || decimal === "point") return null;
  return `has decimal ${JSON.stringify(decimal)}; comma or point is allowed`;
}
