/** A type of columns as DuckDB spells it. Where it is a time, the SQL of the column gives microseconds since 1970. */
type ViewType = "VARCHAR" | "JSON" | "DOUBLE" | "BOOLEAN" | "INTEGER" | "BIGINT" | "TIMESTAMP WITH TIME ZONE";

/**
 * A column of a view. `owner` names the column whose project is compared before a value is shown, where it is not the
 * one of the view; null where the source has compared it.
 */
type ViewColumn = readonly [type: ViewType, sql: string, description: string, owner?: string | null];

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
 * null on a record of another project.
 */
export function viewOfProject({ owner, from, beside, where, columns }: View): string {
  const select = Object.entries(columns).map(([name, [type, sql, , own = owner]]) => {
    const value = type === TIME ? `make_timestamptz(${sql})` : sql;
    return `${own === null ? value : valueIf(ofProject(own), value)} AS ${name}`;
  });
  const conditions = [ofProject(owner), where].filter((one) => one !== undefined);
  return `SELECT ${select.join(",\n")}
FROM ${from(ofProject)} ${beside?.(ofProject) ?? ""}
WHERE ${conditions.join(" AND ")}`;
}

/** The query of a view over all projects, whose ids are its first column, with times in UTC without a zone. */
export function viewOfFile({ owner, from, beside, where = ALWAYS, columns, inFile }: View): string {
  const select = Object.entries({ ...columns, ...inFile?.columns }).map(
    ([name, [type, sql]]) => `${type === TIME ? `make_timestamp(${sql})` : sql} AS ${name}`,
  );
  const project = isKey(owner) ? `JOIN main.projects AS project ON project.project_key = ${owner}` : "";
  return `SELECT ${isKey(owner) ? "project.project_id" : owner} AS project_id, ${select.join(",\n")}
FROM ${from(ofAll)} ${project} ${beside?.(ofAll) ?? ""} ${inFile?.beside ?? ""}
WHERE ${where}`;
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
