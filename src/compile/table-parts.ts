import { constant, EMPTY, join, sql, type Sql } from "../model/sql.ts";
import type { ScoreColumn, TrialTablePlan } from "../plan/trial-table.ts";
import { inKeys, position, scoreScope } from "./relations.ts";
import { scoreValues } from "./score-records.ts";
import { joinedRawRows, placedRows, tableColumns, trialIndex, type TableColumn } from "./trial-table.ts";

/*
 * The table of a request in parts. Where its trials stand is the order of the second; the others are read as they are
 * stored, and whoever reads them puts them there. The second expects the rows as `loaded('table_rows')`: (row_key,
 * place). For requests that leave out no row of their evaluations.
 */

/** (row_key, and the columns of rows): the rows in their order. */
export function compileTableRows(plan: TrialTablePlan): Sql {
  const values = columnsOf(plan, "row").map(({ value }) => sql`, ${value}`);
  return sql`WITH ${placedRows(plan)}
    SELECT page.row_key${join(values, EMPTY)} FROM page${joinedRawRows(plan)} ORDER BY page.place`;
}

/** (trial_key, place of the row, of the evaluation, of the trial, length of each text, -1 for null): the trials in their order. */
export function compileTablePlaces(plan: TrialTablePlan): Sql {
  const { index, several } = trialIndex(plan, sql`t`);
  const evaluation = position(plan, sql`t.evaluation_key`);
  const texts = columnsOf(plan, "trial").filter(({ type }) => type === "text");
  const lengths = texts.map(({ value, bytes }) => sql`, ${bytes?.length ?? lengthOf(value)}`);
  return sql`SELECT t.trial_key, p.place, ${evaluation}, ${index} AS trial_index${join(lengths, EMPTY)}
    FROM trials AS t JOIN loaded('table_rows') AS p ON p.row_key = t.row_key${several}
    WHERE ${inKeys(sql`t.evaluation_key`, plan.evaluationKeys)}
    ORDER BY CAST(p.place AS BIGINT) * ${constant(plan.evaluationKeys.length)} + ${evaluation}, trial_index`;
}

/** (trial_key, and the columns of trials): of each trial. */
export function compileTableTrials(plan: TrialTablePlan): Sql {
  const values = columnsOf(plan, "trial").map(({ value, bytes }) => sql`, ${bytes?.bytes ?? value}`);
  return sql`SELECT t.trial_key${join(values, EMPTY)} FROM trials AS t
    WHERE ${inKeys(sql`t.evaluation_key`, plan.evaluationKeys)}`;
}

/** (trial_key, path_key, number, length of the text): of each score that is of the type of its column. */
export function compileTableScores(plan: TrialTablePlan): Sql {
  return sql`SELECT v.trial_key, v.path_key, v.number, ${lengthOf(sql`v.text`)} ${scores(plan, plan.scoreColumns)}`;
}

/** (trial_key, path_key, text): of each score in the columns of texts. */
export function compileTableScoreTexts(plan: TrialTablePlan): Sql {
  const columns = plan.scoreColumns.filter(({ type }) => type === "text");
  return sql`SELECT v.trial_key, v.path_key, v.text ${scores(plan, columns)}`;
}

const KINDS = { double: 0, boolean: 1, text: 2 } as const;

function scores(plan: TrialTablePlan, columns: readonly ScoreColumn[]): Sql {
  const kinds = (["double", "boolean", "text"] as const).flatMap((type) => {
    const keys = columns.filter((column) => column.type === type).map(({ pathKey }) => pathKey);
    if (keys.length === 0) return [];
    return [sql`(v.kind = ${constant(KINDS[type])} AND ${inKeys(sql`v.path_key`, keys)})`];
  });
  return sql`FROM ${scoreValues(plan, sql`v`)}
    WHERE ${inKeys(sql`v.evaluation_key`, plan.evaluationKeys)}${scoreScope(plan, sql`v`)}
    AND (${join(kinds, sql` OR `)})`;
}

function lengthOf(text: Sql): Sql {
  return sql`CAST(coalesce(strlen(${text}), -1) AS INTEGER)`;
}

function columnsOf(plan: TrialTablePlan, subject: TableColumn["subject"]): TableColumn[] {
  return tableColumns(plan).filter((column) => column.subject === subject);
}
