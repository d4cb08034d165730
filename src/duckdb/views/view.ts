/** A type of columns as DuckDB spells it. Where it is a time, the SQL of the column gives microseconds since 1970. */
type ViewType = "VARCHAR" | "JSON" | "DOUBLE" | "BOOLEAN" | "INTEGER" | "BIGINT" | "TIMESTAMP WITH TIME ZONE";

/**
 * A column of a view. `owner` names the column whose project is compared before a value is shown, where it is not the
 * one of the view; null where the source has compared it. `bytes` is there where the column may have stubs of long
 * texts; its value is null where the record has none.
 */
type ViewColumn = readonly [
  type: ViewType,
  sql: string,
  description: string,
  owner?: string | null | undefined,
  bytes?: string,
];

/** Gives a condition that only records of shown projects meet, on a column with the key or id of a project. */
export type Shown = (owner: string) => string;

type Sources = (shown: Shown) => string;

export interface View {
  /** What a record of the view stands for. */
  readonly record: string;
  /** The column that names the project of a record: its `project_key` or `project_id`. */
  readonly owner: string;
  readonly from: Sources;
  /** Left joins that find at most one record each: a statement that names no column of one leaves it out. */
  readonly beside?: Sources;
  readonly where?: string;
  readonly columns: Readonly<Record<string, ViewColumn>>;
  /** What the view has in a file besides, for programs without evalcube. */
  readonly inFile?: { readonly beside: string; readonly columns: Readonly<Record<string, ViewColumn>> };
}

/** The value where the condition holds, else null. */
export function valueIf(condition: string, value: string): string {
  return condition === ALWAYS ? value : `CASE WHEN ${condition} THEN ${value} END`;
}

const ALWAYS = "true";

/**
 * The query of a view over the project whose key is bound as `$project_key` and whose id as `$project`. Each column is
 * null on a record of another project. Its columns of texts may hold stubs, see {@link withWholeTexts}.
 */
export function viewOfProject({ owner, from, beside, where, columns }: View): string {
  const select = Object.entries(columns).flatMap(([name, [type, sql, , own = owner, bytes]]) => {
    const shown = (value: string) => (own === null ? value : valueIf(ofProject(own), value));
    const value = type === TIME ? `make_timestamptz(${sql})` : sql;
    return [
      `${shown(value)} AS ${name}`,
      ...(bytes === undefined ? [] : [`${shown(bytes)} AS ${bytesOf(name)}`]),
    ];
  });
  const conditions = [ofProject(owner), where].filter((one) => one !== undefined);
  return `SELECT ${select.join(",\n")}
FROM ${from(ofProject)} ${beside?.(ofProject) ?? ""}
WHERE ${conditions.join(" AND ")}`;
}

/** The query of a view over all projects, whose ids are its first column, with times in UTC without a zone. */
export function viewOfFile({ owner, from, beside, where = ALWAYS, columns, inFile }: View): string {
  const select = Object.entries({ ...columns, ...inFile?.columns }).flatMap(
    ([name, [type, sql, , , bytes]]) => [
      `${type === TIME ? `make_timestamp(${sql})` : sql} AS ${name}`,
      ...(bytes === undefined ? [] : [`${bytes} AS ${bytesOf(name)}`]),
    ],
  );
  const project = isKey(owner) ? `JOIN main.projects AS project ON project.project_key = ${owner}` : "";
  return withWholeTexts(
    textColumns(columns),
    `SELECT ${isKey(owner) ? "project.project_id" : owner} AS project_id, ${select.join(",\n")}
FROM ${from(ofAll)} ${project} ${beside?.(ofAll) ?? ""} ${inFile?.beside ?? ""}
WHERE ${where}`,
  );
}

/** The columns of a view that may have stubs of long texts. */
export function textColumns(columns: View["columns"]): string[] {
  return Object.keys(columns).filter((name) => columns[name]?.[4] !== undefined);
}

/** What `bytes` of a column is called in the query of a view. */
export function bytesOf(column: string): string {
  return `text_bytes_of_${column}`;
}

/**
 * The query with long texts instead of their stubs in these columns. It stands around the whole view, so that DuckDB
 * reads the texts of the records alone that a condition of the statement leaves.
 */
export function withWholeTexts(columns: readonly string[], query: string): string {
  if (columns.length === 0) return query;
  return `SELECT * EXCLUDE (${columns.map(bytesOf).join(", ")})
  REPLACE (${columns.map((name) => `${wholeText(`v.${name}`, `v.${bytesOf(name)} IS NULL`)} AS ${name}`).join(",\n")})
FROM (${query}) AS v`;
}

/** The same of the result of a statement, in which the bytes of texts do not stand. */
export function resultWithWholeTexts(columns: readonly string[], query: string): string {
  const whole = columns.map((name) => {
    const column = `"${name.replaceAll('"', '""')}"`;
    const isWhole = `NOT contains(v.${column}::VARCHAR, (SELECT mark FROM main.text_mark))`;
    return `${wholeText(`v.${column}`, isWhole)} AS ${column}`;
  });
  return `SELECT * REPLACE (${whole.join(",\n")}) FROM (${query}) AS v`;
}

/** A column of JSON with its long texts instead of their stubs, where it is not whole. */
function wholeText(column: string, isWhole: string): string {
  const parts = `string_split(${column}::VARCHAR, '"' || (SELECT mark FROM main.text_mark))`;
  const text = `SELECT string_agg(p.txt, '' ORDER BY p.piece) FROM main.pieces AS p
      WHERE p.text_key = TRY_CAST(split_part(u.part, ':', 4) AS BIGINT)`;
  return `CASE WHEN coalesce(${isWhole}, true) THEN ${column} ELSE (
    SELECT string_agg(CASE WHEN u.n = 1 THEN u.part ELSE (${text})
      || substr(u.part, strpos(u.part, '"') + 1) END, '' ORDER BY u.n)
    FROM (SELECT unnest(${parts}) AS part, generate_subscripts(${parts}, 1) AS n) AS u
  )::JSON END`;
}

const TIME: ViewType = "TIMESTAMP WITH TIME ZONE";

function ofProject(owner: string): string {
  return `${owner} = ${isKey(owner) ? "$project_key" : "$project"}`;
}

function ofAll(): string {
  return ALWAYS;
}

function isKey(owner: string): boolean {
  return owner.endsWith("project_key");
}
