import type { Key } from "../../model/digest.ts";
import { column, nullable, query, select, type Query, type RowOf, withTexts } from "../../store/query.ts";
import { bigint, constant, EMPTY, sql, text } from "../../store/sql.ts";
import { amongKeys } from "../relations/spelled.ts";

/** Which trials of a project are wanted: what all members that are not null hold for. */
export interface TrialSelection {
  readonly evaluationId: string | null;
  readonly trialId: string | null;
  /** The id of the predict call; of the trial itself, where it has none. */
  readonly predictionId: string | null;
}

/** Where a trial stands in the order by start, then id. */
export interface TrialPlace {
  readonly key: Key;
  /** Microseconds since 1970. */
  readonly startedAt: bigint;
  readonly id: string;
}

/** The next trials of a project after one, by start, then id. */
export function compileTrialPlaces(
  projectKey: number,
  { evaluationId, trialId, predictionId }: TrialSelection,
  after: TrialPlace | null,
  limit: number,
): Query<TrialPlace> {
  const ofEvaluation = evaluationId === null ? EMPTY : sql` AND e.id = ${text(evaluationId)}`;
  const ofTrial = trialId === null ? EMPTY : sql` AND t.id = ${text(trialId)}`;
  const ofPrediction =
    predictionId === null ? EMPTY : sql` AND coalesce(t.predict_call_id, t.id) = ${text(predictionId)}`;
  const later =
    after === null
      ? EMPTY
      : sql` AND (t.started_at > ${bigint(after.startedAt)}
        OR (t.started_at = ${bigint(after.startedAt)} AND t.id > ${text(after.id)}))`;
  const places = select(
    {
      key: column.key(sql`t.trial_key`),
      startedAt: column.bigint(sql`t.started_at`),
      id: column.text(sql`t.id`),
    },
    sql` FROM trials AS t JOIN evaluations AS e ON e.evaluation_key = t.evaluation_key
    WHERE e.project_key = ${constant(projectKey)} AND NOT e.hidden${ofEvaluation}${ofTrial}${ofPrediction}${later}
    ORDER BY t.started_at, t.id LIMIT ${constant(limit)}`,
  );
  return query("trial places", places);
}

export function compileTrialParts(keys: readonly Key[]) {
  const parts = select(
    {
      key: column.key(sql`t.trial_key`),
      id: column.text(sql`t.id`),
      evaluationId: column.text(sql`e.id`),
      predictCallId: nullable(column.text(sql`t.predict_call_id`)),
      /** JSON of the output of its call, and of the scores that only score calls have. */
      output: nullable(column.text(sql`t.output`)),
      lateScores: nullable(column.text(sql`t.late_scores`)),
    },
    sql` FROM trials AS t JOIN evaluations AS e ON e.evaluation_key = t.evaluation_key
    WHERE ${amongKeys(sql`t.trial_key`, keys)}`,
  );
  return withTexts(query("trial parts", parts));
}

/** What is stored of a trial, beside the records of its calls and its row. */
export type TrialParts = RowOf<typeof compileTrialParts>;

export function compileTrialRows(keys: readonly Key[]) {
  const inline = sql`CASE WHEN t.reference_prefix IS NULL THEN coalesce(t.example, r.inline_example) END`;
  const rows = select(
    {
      key: column.key(sql`t.trial_key`),
      /** JSON; null where it is a reference to a dataset row that is not stored. */
      row: nullable(column.text(sql`coalesce(${inline}, r.val)`)),
    },
    sql` FROM trials AS t JOIN rows AS r ON r.row_key = t.row_key WHERE ${amongKeys(sql`t.trial_key`, keys)}`,
  );
  return withTexts(query("trial rows", rows));
}

/** Which calls are read with a trial: its predict call, or its children. */
export type Relatives = "predict" | "children";

/** Keys of calls that may be related to these trials, by start, then id: hashes match. */
export function compileRelatedCalls(projectKey: number, trialKeys: readonly Key[], relatives: Relatives) {
  const [id, hash] =
    relatives === "predict" ? [sql`t.predict_call_id`, sql`c.id_hash`] : [sql`t.id`, sql`c.parent_hash`];
  const related = select(
    { trialKey: column.key(sql`t.trial_key`), key: column.key(sql`c.call_key`) },
    sql` FROM trials AS t
    JOIN calls AS c ON ${hash} = md5_number_lower(concat(${constant(projectKey)}, ':', ${id}))
    WHERE ${amongKeys(sql`t.trial_key`, trialKeys)} AND NOT c.hidden AND c.started_at IS NOT NULL
    ORDER BY c.started_at, c.id`,
  );
  return query("related calls", related);
}
