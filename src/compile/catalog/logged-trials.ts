import type { Key } from "../../model/digest.ts";
import { column, nullable, query, select, type Query, type RowOf, withTexts } from "../../store/query.ts";
import { constant, EMPTY, sql, text, type Sql } from "../../store/sql.ts";
import { amongKeys, integerOrNull, jsonAt, ofFew, recordTextAt } from "../relations/spelled.ts";

/** The next trials of an evaluation after one, in the order of their keys. */
export function compileTrialList(evaluationKey: number, after: Key | null, limit: number) {
  const later = after === null ? EMPTY : sql` AND trial_key > ${constant(after)}`;
  const trials = select(
    {
      key: column.key(sql`t.trial_key`),
      id: column.text(sql`t.id`),
      /** The digest of its row. */
      digest: column.text(sql`r.digest`),
      /** Microseconds since 1970. */
      startedAt: column.bigint(sql`t.started_at`),
      errored: column.boolean(sql`e.trial_key IS NOT NULL`),
    },
    sql` FROM (
    SELECT trial_key, id, row_key, started_at FROM trials
    WHERE evaluation_key = ${constant(evaluationKey)}${later}
    ORDER BY trial_key LIMIT ${constant(limit)}) AS t
    JOIN rows AS r ON r.row_key = t.row_key
    LEFT JOIN errored_trials AS e ON e.evaluation_key = ${constant(evaluationKey)} AND e.trial_key = t.trial_key
    ORDER BY t.trial_key`,
  );
  return query("trial list", trials);
}

export type ListedTrial = RowOf<typeof compileTrialList>;

/** How many trials an evaluation has. */
export function compileTrialCount(evaluationKey: number): Query<{ readonly trials: number }> {
  const counted = select(
    { trials: column.integer(sql`count(*)`) },
    sql` FROM trials WHERE evaluation_key = ${constant(evaluationKey)}`,
  );
  return query("trial count", counted);
}

/** The calls of the next trials of an evaluation after one, in the order of their keys. */
export function compileTrialCalls(evaluationKey: number, after: Key | null, limit: number) {
  const later = after === null ? EMPTY : sql` AND trial_key > ${constant(after)}`;
  const trials = select(
    {
      key: column.key(sql`trial_key`),
      id: column.text(sql`id`),
      predictCallId: nullable(column.text(sql`predict_call_id`)),
      /** The calls of its scores by the scores' keys, as JSON. */
      scorerCallIds: nullable(column.text(sql`scorer_call_ids`)),
    },
    sql` FROM trials WHERE evaluation_key = ${constant(evaluationKey)}${later}
    ORDER BY trial_key LIMIT ${constant(limit)}`,
  );
  return query("trial calls", trials);
}

/** The calls of a trial. */
export type TrialCalls = RowOf<typeof compileTrialCalls>;

/** Null for records that the database cannot read as JSON. */
function member(pointer: string): Sql {
  return sql`CASE WHEN json_valid(record) THEN ${jsonAt(sql`record`, pointer)} END`;
}

/** What only the records of these trials tell: whether they have ended, and their numbers. */
export function compileTrialMarks(trialKeys: readonly Key[]) {
  const marks = select(
    {
      key: column.key(sql`call_key`),
      ended: column.boolean(sql`coalesce(json_type(${member("/ended_at")}) <> 'NULL', false)`),
      /** `attributes.trial_index`, null where it is no whole number. */
      number: nullable(column.integer(integerOrNull(sql`json_number(${member("/attributes/trial_index")})`))),
    },
    sql` FROM calls WHERE ${ofFew(sql`calls`, amongKeys(sql`call_key`, trialKeys), trialKeys.length)}`,
  );
  return query("trial marks", marks);
}

/** The calls below the trials of an evaluation that failed. A server tells deleted ones by their records. */
export function compileFailedCalls(projectKey: number, evaluationKey: number) {
  const failed = sql`SELECT id, json_text(${recordTextAt(sql`record`, "/parent_id")}) AS parent FROM calls
    WHERE project_key = ${constant(projectKey)} AND NOT hidden AND exception <> ''
      AND json_text(${recordTextAt(sql`record`, "/deleted_at")}) IS NULL`;
  const calls = select(
    { id: column.text(sql`c.id`) },
    sql` FROM (${failed}) AS c JOIN trials AS t ON t.id = c.parent
    WHERE t.evaluation_key = ${constant(evaluationKey)}`,
  );
  return query("failed calls", calls);
}

/** The trial with this id. */
export function compileTrialScores(projectKey: number, id: string) {
  const scores = select(
    {
      evaluationId: column.text(sql`e.id`),
      /** The whole output of its call, and its late scores, as JSON. */
      output: nullable(column.text(sql`t.output`)),
      lateScores: nullable(column.text(sql`t.late_scores`)),
    },
    sql` FROM trials AS t JOIN evaluations AS e ON e.evaluation_key = t.evaluation_key
    WHERE e.project_key = ${constant(projectKey)} AND t.id = ${text(id)}`,
  );
  return withTexts(query("trial scores", scores));
}
