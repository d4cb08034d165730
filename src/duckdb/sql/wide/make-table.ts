import { BOOLEAN, NUMBER, TEXT } from "../../../model/score-kind.ts";
import type { ScoreColumn } from "../../../plan/trial-table.ts";
import { SCRATCH } from "../../../store/scratch.ts";
import type { FileSession } from "../../../store/session.ts";
import { constant, identifier, integer, join, sql, type Sql } from "../../../store/sql.ts";

/** The columns of trials that a wide table has beside the dimensions. */
export const TRIAL_COLUMNS = [
  "evaluation_key",
  "row_key",
  "started_at",
  "latency_seconds",
  "total_tokens",
] as const;
const TRIAL_BYTES = 32;

type Dimension = Pick<ScoreColumn, "pathKey" | "type">;

/** How a dimension's values are read from its scores, and how many bytes one takes at least. */
const TYPES: Readonly<Record<ScoreColumn["type"], { value: Sql; kind: number; bytes: number }>> = {
  double: { value: sql`number`, kind: NUMBER, bytes: 8 },
  boolean: { value: sql`number = 1`, kind: BOOLEAN, bytes: 1 },
  text: { value: sql`text`, kind: TEXT, bytes: 16 },
};

/** Name of the column with the values of a dimension. */
export function dimensionColumn(pathKey: number): string {
  return `d${pathKey}`;
}

/** How many bytes a wide table of these dimensions will have, about. */
export async function wideBytes(
  session: FileSession,
  projectKey: number,
  dimensions: readonly Dimension[],
): Promise<number> {
  const [found = []] = await session.rows(sql`SELECT count(*) FROM trials AS t
    JOIN evaluations AS e ON e.evaluation_key = t.evaluation_key
    WHERE e.project_key = ${integer(projectKey)} AND NOT e.hidden`);
  const widths = dimensions.map(({ type }) => TYPES[type].bytes);
  const record = widths.reduce((sum, width) => sum + width, TRIAL_BYTES);
  return Number(found[0]) * record + (await textBytes(session, dimensions));
}

async function textBytes(session: FileSession, dimensions: readonly Dimension[]): Promise<number> {
  const texts = dimensions.filter(({ type }) => type === "text");
  if (texts.length === 0) return 0;
  const [found = []] = await session.rows(
    sql`SELECT coalesce(sum(strlen(text)), 0)::DOUBLE FROM scores WHERE path_key IN (${pathKeys(texts)})`,
  );
  return Number(found[0]);
}

/** Makes a table with one record a trial of a project, and one column a dimension. Each value is the one that the view gives. */
export async function makeWideTable(
  session: FileSession,
  name: string,
  projectKey: number,
  dimensions: readonly Dimension[],
): Promise<void> {
  const trials = TRIAL_COLUMNS.map((column) => sql`t.${identifier(column)}`);
  const columns = dimensions.map(({ pathKey }) => identifier(dimensionColumn(pathKey)));
  const values = dimensions.map(({ pathKey, type }, i) => {
    const { value, kind } = TYPES[type];
    const isMeant = sql`path_key = ${constant(pathKey)} AND kind = ${constant(kind)}`;
    return sql`any_value(CASE WHEN ${isMeant} THEN ${value} END) AS ${columns[i] ?? sql`d`}`;
  });
  const scores = sql`SELECT trial_key, ${list(values)} FROM scores
    WHERE path_key IN (${pathKeys(dimensions)}) GROUP BY trial_key`;
  await session.run(sql`CREATE TABLE ${wideTable(name)} AS SELECT ${list([...trials, ...columns])}
    FROM trials AS t JOIN evaluations AS e ON e.evaluation_key = t.evaluation_key
    LEFT JOIN (${scores}) AS s ON s.trial_key = t.trial_key
    WHERE e.project_key = ${constant(projectKey)} AND NOT e.hidden`);
}

export async function dropWideTable(session: FileSession, name: string): Promise<void> {
  await session.run(sql`DROP TABLE ${wideTable(name)}`);
}

function wideTable(name: string): Sql {
  return sql`${identifier(SCRATCH)}.main.${identifier(name)}`;
}

function pathKeys(dimensions: readonly Dimension[]): Sql {
  return list(dimensions.map(({ pathKey }) => constant(pathKey)));
}

function list(items: readonly Sql[]): Sql {
  return join(items, sql`, `);
}
