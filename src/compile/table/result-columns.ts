import { NULL, TEXT } from "../../model/score-kind.ts";
import { column, query, select } from "../../store/query.ts";
import { constant, EMPTY, sql, type Sql } from "../../store/sql.ts";
import type { TrialTablePlan } from "../../plan/trial-table.ts";
import { inKeys, position, scoreScope } from "../relations/relations.ts";
import { trialErrors } from "../relations/failures.ts";
import { scoreValues } from "../scores/score-records.ts";
import { inPart, joinedRawRows, placedRows, rawRow, trialIndex } from "./trial-table.ts";
import { MODEL_OUTPUT, nothing, small, trialsWith } from "../relations/spelled.ts";

/*
 * A result as narrow relations instead of one wide table. A trial is known by where it stands: row_order, evaluation
 * (its position among the requested ones that have trials) and trial_index. Each statement finds the rows anew: reading
 * them costs less than a table that a snapshot would have to keep.
 */

export function compileResultSize(plan: TrialTablePlan) {
  const trials = sql`SELECT count(*) FROM trials JOIN page USING (row_key)
    WHERE ${inKeys(sql`evaluation_key`, plan.evaluationKeys)}`;
  const size = select(
    {
      /** Rows before paging. */
      total: column.integer(sql`(SELECT count(*) FROM selected)`),
      /** Rows of the page, and their trials. */
      rows: column.integer(sql`(SELECT count(*) FROM page)`),
      trials: column.integer(sql`(${trials})`),
    },
    EMPTY,
  );
  return query("size of a result", size, sql`WITH ${placedRows(plan)} ${size.sql}`);
}

/** (row_digest, raw_data_row) in order. */
export function compileResultRows(plan: TrialTablePlan): Sql {
  const raw = plan.rows.rawRows !== "none";
  return sql`WITH ${placedRows(plan)}
    SELECT page.digest AS row_digest, ${raw ? rawRow(plan) : sql`NULL::VARCHAR`} AS raw_data_row
    FROM page${joinedRawRows(plan)} WHERE true${inPart(plan)} ORDER BY page.place`;
}

/** (row_order, evaluation, trial_index, latency, tokens, error) in order. */
export function compileResultTrials(plan: TrialTablePlan, withErrors: boolean): Sql {
  const { place, joined } = placeOf(plan, sql`t`);
  const { includeChildren } = plan;
  const columns = sql`${place}, t.${includeChildren ? EMPTY : sql`own_`}latency_seconds AS model_latency_seconds,
      t.${includeChildren ? EMPTY : sql`own_`}total_tokens AS total_tokens`;
  const from = sql`FROM trials AS t${joined}`;
  const scope = sql`WHERE ${inKeys(sql`t.evaluation_key`, plan.evaluationKeys)}`;
  if (!withErrors)
    return sql`WITH ${placedRows(plan)} SELECT ${columns}, NULL::VARCHAR AS error ${from} ${scope} ORDER BY 1, 2, 3`;
  const failed = sql`SELECT trial_key FROM errored_trials
      WHERE ${inKeys(sql`evaluation_key`, plan.evaluationKeys)}${includeChildren ? EMPTY : sql` AND own`}`;
  const errors = trialErrors(plan, (key) => sql`${key} IN (SELECT trial_key FROM failed)`);
  return sql`WITH ${placedRows(plan)}, failed AS MATERIALIZED (${failed})
    SELECT ${columns}, f.error ${from} LEFT JOIN (${errors}) AS f ON f.trial_key = t.trial_key ${scope} ORDER BY 1, 2, 3`;
}

/** (row_order, evaluation, trial_index, dimension, kind, number) of numbers, booleans and nulls, in any order. */
export function compileResultScores(plan: TrialTablePlan): Sql {
  const { place, joined } = placeOf(plan, sql`v`);
  const scope = sql`${inKeys(sql`v.evaluation_key`, plan.evaluationKeys)}${scoreScope(plan, sql`v`)}`;
  return sql`WITH ${placedRows(plan)}
    SELECT ${place}, v.path_key AS dimension, v.kind, v.number FROM ${scoreValues(plan, sql`v`)}${joined}
    WHERE ${scope} AND v.kind < ${constant(TEXT)} AND v.number IS NOT NULL
    UNION ALL SELECT ${place}, v.path_key, ${small(constant(NULL))}, ${nothing("DOUBLE")} FROM null_scores AS v${joined}
    WHERE ${scope}`;
}

/** (row_order, evaluation, trial_index, dimension, text) of texts, in order. */
export function compileResultTexts(plan: TrialTablePlan): Sql {
  const { place, joined } = placeOf(plan, sql`v`);
  return sql`WITH ${placedRows(plan)}
    SELECT ${place}, v.path_key AS dimension, v.text FROM scores AS v${joined}
    WHERE ${inKeys(sql`v.evaluation_key`, plan.evaluationKeys)}${scoreScope(plan, sql`v`)} AND v.kind = ${constant(TEXT)}
    ORDER BY 1, 2, 3, 4`;
}

/** (row_order, evaluation, trial_index, model_output) of the trials of some rows of the page, in order. */
export function compileResultOutputs(plan: TrialTablePlan, from: number, to: number): Sql {
  const { place, joined } = placeOf(plan, sql`t`);
  const scope = inKeys(sql`t.evaluation_key`, plan.evaluationKeys);
  const inPlaces = sql`page.place >= ${constant(from)} AND page.place < ${constant(to)}`;
  const ofPlaces = sql`t.row_key IN (SELECT row_key FROM page WHERE ${inPlaces}) AND ${scope}`;
  const trials = plan.part === null ? sql`trials` : trialsWith(ofPlaces, plan.part.textKeys);
  return sql`WITH ${placedRows(plan)}
    SELECT ${place}, ${MODEL_OUTPUT} AS model_output FROM ${trials} AS t${joined}
    WHERE ${scope}
      AND ${inPlaces} ORDER BY 1, 2, 3`;
}

/** Where the trial of a record of `alias` stands, and the joins that this needs. */
function placeOf(plan: TrialTablePlan, alias: Sql): { readonly place: Sql; readonly joined: Sql } {
  const { index, several } = trialIndex(plan, alias);
  const evaluation = position(plan, sql`${alias}.evaluation_key`);
  return {
    place: sql`CAST(page.place AS INTEGER) AS row_order, CAST(${evaluation} AS INTEGER) AS evaluation,
      CAST(${index} AS INTEGER) AS trial_index`,
    joined: sql` JOIN page ON page.row_key = ${alias}.row_key${several}`,
  };
}
