import { constant, EMPTY, join, sql, type Sql } from "../../store/sql.ts";
import type { ScoreColumn, TrialTablePlan } from "../../plan/trial-table.ts";
import { inKeys, position, scoreScope } from "../relations/relations.ts";
import { scoreValues } from "../scores/score-records.ts";
import { joinedRawRows, placedRows, tableColumns, trialIndex, type TableColumn } from "./trial-table.ts";

/*
 * The table of a request in parts: its rows in their order; the trials and their scores as they are stored, for whoever
 * reads them to put them where they belong. For requests that leave out no row of their evaluations.
 */

/** (row_key, and the columns of rows): the rows in their order. */
export function compileTableRows(plan: TrialTablePlan): Sql {
  const values = columnsOf(plan, "row").map(({ value }) => sql`, ${value}`);
  return sql`WITH ${placedRows(plan)}
    SELECT page.row_key${join(values, EMPTY)} FROM page${joinedRawRows(plan)} ORDER BY page.place`;
}

/** (trial_key, row_key, place of the evaluation, place among the trials of both): of each trial. */
export function compileTableOrder(plan: TrialTablePlan): Sql {
  const { index, several } = trialIndex(plan, sql`t`);
  return sql`SELECT t.trial_key, t.row_key, CAST(${position(plan, sql`t.evaluation_key`)} AS INTEGER), CAST(${index} AS INTEGER)
    FROM trials AS t${several} WHERE ${inKeys(sql`t.evaluation_key`, plan.evaluationKeys)}`;
}

/** (trial_key, and the columns of trials): of each trial. */
export function compileTableTrials(plan: TrialTablePlan): Sql {
  const values = columnsOf(plan, "trial").map(({ value, bytes }) => sql`, ${bytes ?? value}`);
  return sql`SELECT t.trial_key${join(values, EMPTY)} FROM trials AS t
    WHERE ${inKeys(sql`t.evaluation_key`, plan.evaluationKeys)}`;
}

/** (trial_key, path_key, number, and text where a column has texts): of each score that is of the type of its column. */
export function compileTableScores(plan: TrialTablePlan): Sql {
  const text = plan.scoreColumns.some(({ type }) => type === "text") ? sql`, v.text` : EMPTY;
  return sql`SELECT v.trial_key, v.path_key, v.number${text} FROM ${scoreValues(plan, sql`v`)}
    WHERE ${inKeys(sql`v.evaluation_key`, plan.evaluationKeys)}${scoreScope(plan, sql`v`)}
    AND v.kind = CASE${join(columnKinds(plan.scoreColumns), EMPTY)} END`;
}

const KINDS = { double: 0, boolean: 1, text: 2 } as const;

/** By CASE: after OR, DuckDB sorts the numbers of the records that are left. */
function columnKinds(columns: readonly ScoreColumn[]): Sql[] {
  return (["double", "boolean", "text"] as const).flatMap((type) => {
    const keys = columns.filter((column) => column.type === type).map(({ pathKey }) => pathKey);
    if (keys.length === 0) return [];
    return [sql` WHEN ${inKeys(sql`v.path_key`, keys)} THEN ${constant(KINDS[type])}`];
  });
}

function columnsOf(plan: TrialTablePlan, subject: TableColumn["subject"]): TableColumn[] {
  return tableColumns(plan).filter((column) => column.subject === subject);
}
