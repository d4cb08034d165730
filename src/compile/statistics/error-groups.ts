import type { Plan } from "../../plan/plan.ts";
import { column, nullable, query, select, type RowOf } from "../../store/query.ts";
import { constant, EMPTY, join, sql, text, type Sql } from "../../store/sql.ts";
import { failedTrials, groupedText, statedErrors } from "../relations/failures.ts";
import { inKeys } from "../relations/relations.ts";
import { firstBy, recordTextAt, relationOf, wideSum } from "../relations/spelled.ts";
import { withTables, type Narrowing } from "../rows/selected-rows.ts";

/**
 * Identifies the scorer of a failed call: a JSON list of its op name and the values at some pointers of its record.
 */
export interface ScorerMark {
  readonly mark: string;
  readonly scorer: string;
}

/** The calls below trials that failed, as (exception, parent, mark). */
function failedCalls({ projectKey }: Plan, pointers: readonly string[]): Sql {
  const parts = ["/op_name", ...pointers].map(
    (pointer) => sql`coalesce(${recordTextAt(sql`record`, pointer)}, 'null')`,
  );
  return sql`SELECT exception, id, json_text(${recordTextAt(sql`record`, "/parent_id")}) AS parent,
      concat('[', ${join(parts, sql`, ',', `)}, ']') AS mark
    FROM calls WHERE project_key = ${constant(projectKey)} AND NOT hidden AND exception <> ''`;
}

/** The marks of all failed calls below the trials of a plan. */
export function compileFailedMarks(plan: Plan, pointers: readonly string[]) {
  const marks = select(
    { mark: column.text(sql`c.mark`) },
    sql` FROM (${failedCalls(plan, pointers)}) AS c JOIN trials AS t ON t.id = c.parent
    WHERE ${inKeys(sql`t.evaluation_key`, plan.evaluationKeys)} GROUP BY c.mark ORDER BY c.mark`,
  );
  return query("failed marks", marks);
}

const SCORERS = ["mark", "scorer"].map((name) => (name === "mark" ? sql`mark` : sql`scorer`));

/** The relations of failed score calls: of each scorer, and (evaluation_key, row_key, trial_key, scorer, stated). */
function failedScores(
  plan: Plan,
  { selectedJoin }: Narrowing,
  pointers: readonly string[],
  marks: readonly ScorerMark[],
): { readonly tables: readonly Sql[]; readonly records: Sql } {
  if (marks.length === 0) return { tables: [], records: EMPTY };
  const records = marks.map(({ mark, scorer }) => [sql`${text(mark)}`, sql`${text(scorer)}`]);
  return {
    tables: [relationOf(sql`failed_scorers`, SCORERS, records)],
    records: sql` UNION ALL SELECT t.evaluation_key AS evaluation_key, t.row_key AS row_key, t.trial_key AS trial_key,
        m.scorer AS scorer, c.exception AS stated
      FROM trials AS t${selectedJoin} JOIN (${failedCalls(plan, pointers)}) AS c ON c.parent = t.id
        JOIN failed_scorers AS m ON m.mark = c.mark
      WHERE ${inKeys(sql`t.evaluation_key`, plan.evaluationKeys)}`,
  };
}

/** The errors of the evaluations of a plan, at most so many groups of each, the most frequent first. */
export function compileErrorGroups(
  plan: Plan,
  narrowing: Narrowing,
  pointers: readonly string[],
  marks: readonly ScorerMark[],
  most: number,
) {
  const scores = failedScores(plan, narrowing, pointers, marks);
  const trials = sql`SELECT evaluation_key, row_key, trial_key, '' AS scorer, stated
    FROM (${statedErrors(plan)})${narrowing.selectedJoin}`;
  const groups = select(
    {
      evaluationKey: column.integer(sql`g.evaluation_key`),
      /** null of trials. */
      scorer: nullable(column.text(sql`nullIf(g.scorer, '')`)),
      text: column.text(sql`g.grouped`),
      count: column.integer(sql`g.n`),
      /** All errors of the evaluation. */
      total: column.integer(sql`${wideSum(sql`g.n`)} OVER (PARTITION BY g.evaluation_key)`),
      /** The exception of the first trial, by start and id, as it was stored; null where there is none. */
      example: nullable(column.text(sql`g.example`)),
      rowDigest: column.text(sql`d.digest`),
    },
    sql` FROM (SELECT evaluation_key, scorer, grouped, ${wideSum(sql`times`)} AS n, ${firstOf(sql`stated`)} AS example,
        ${firstOf(sql`row_key`)} AS first_row
      FROM (SELECT *, ${groupedText(sql`stated`)} AS grouped FROM texts) GROUP BY evaluation_key, scorer, grouped) AS g
    JOIN rows AS d ON d.row_key = g.first_row
    QUALIFY row_number() OVER (PARTITION BY g.evaluation_key ORDER BY g.n DESC, g.scorer, g.grouped) <= ${constant(most)}
    ORDER BY g.evaluation_key, g.n DESC, g.scorer, g.grouped`,
  );
  const among = inKeys(sql`evaluation_key`, plan.evaluationKeys);
  const tables = [
    ...narrowing.tables,
    failedTrials(plan, among),
    ...scores.tables,
    texts(sql`${trials}${scores.records}`),
  ];
  return query("error groups", groups, sql`${withTables(tables)}${groups.sql}`);
}

/** Errors of one evaluation that have one text. */
export type ErrorRecord = RowOf<typeof compileErrorGroups>;

/**
 * Each text once an evaluation and scorer, with how often it stands there and where first: texts differ less than
 * trials.
 */
function texts(failures: Sql): Sql {
  return sql`texts AS MATERIALIZED (SELECT f.evaluation_key AS evaluation_key, f.scorer AS scorer, f.stated AS stated,
      count(*)::BIGINT AS times, min(t.started_at) AS began, ${earliest(sql`t.id`)} AS trial, ${earliest(sql`f.row_key`)} AS row_key
    FROM (${failures}) AS f JOIN trials AS t ON t.trial_key = f.trial_key
    GROUP BY f.evaluation_key, f.scorer, f.stated)`;
}

function earliest(value: Sql): Sql {
  return firstBy(value, sql`t.started_at, t.id`);
}

function firstOf(value: Sql): Sql {
  return firstBy(value, sql`began, trial`);
}
