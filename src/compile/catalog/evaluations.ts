import { TEXT } from "../../model/score-kind.ts";
import { column, nullable, query, type Query, type RowOf, select, unionAll } from "../../store/query.ts";
import { constant, EMPTY, integer, join, sql, type Sql, text } from "../../store/sql.ts";
import { inKeys } from "../relations/relations.ts";
import { groupedText, statedErrors } from "../relations/failures.ts";
import {
  countEvaluations,
  exactSum,
  firstBy,
  joinedTexts,
  recordTextAt,
  wideSum,
} from "../relations/spelled.ts";

/** Whether an evaluation ran over some of its rows, as `attributes.partial` says. */
const partial = column.boolean(
  sql`coalesce(${recordTextAt(sql`e.attributes`, "/partial")} NOT IN ('null', 'false'), false)`,
);

/** The evaluations of a project with these ids, with or without trials. */
export function compileEvaluations(projectKey: number, ids: readonly string[]) {
  const list = join(ids.map((id) => sql`${text(id)}`));
  const evaluations = select(
    {
      key: column.integer(sql`evaluation_key`),
      hasRoot: column.boolean(sql`has_root`),
      id: column.text(sql`id`),
      evaluationRef: nullable(column.text(sql`evaluation_ref`)),
      modelRef: nullable(column.text(sql`model_ref`)),
      datasetRef: nullable(column.text(sql`dataset_ref`)),
      displayName: nullable(column.text(sql`display_name`)),
      traceId: nullable(column.text(sql`trace_id`)),
      startedAt: nullable(column.bigint(sql`started_at`)),
      commit: nullable(column.text(sql`code_commit`)),
      /** JSON text. */
      attributes: nullable(column.text(sql`attributes`)),
    },
    sql` FROM evaluations WHERE project_key = ${integer(projectKey)} AND NOT hidden AND id IN (${list})`,
  );
  return query("evaluations", evaluations);
}

/** Ids of the evaluations of a project in which a model ran over a task. */
export function compileRunIds(projectKey: number, evaluationRef: string, modelRef: string) {
  const runs = select(
    { id: column.text(sql`id`) },
    sql` FROM evaluations WHERE project_key = ${integer(projectKey)} AND NOT hidden AND has_root
    AND evaluation_ref = ${text(evaluationRef)} AND model_ref = ${text(modelRef)}`,
  );
  return query("runs", runs);
}

/** Keys of those of the given evaluations that have trials. */
export function compileTried(evaluationKeys: readonly number[]) {
  return evaluationsWith("tried evaluations", sql`trials`, evaluationKeys);
}

/** Keys of those of the given evaluations that have a number, true or false in some score. */
export function compileValued(evaluationKeys: readonly number[]) {
  const isNumber = sql` AND kind < ${constant(TEXT)}
    AND number IS NOT NULL`;
  return evaluationsWith("valued evaluations", sql`scores`, evaluationKeys, isNumber);
}

function evaluationsWith(name: string, table: Sql, evaluationKeys: readonly number[], condition = EMPTY) {
  const key = column.integer(sql`evaluation_key`);
  const among = sql`${inKeys(sql`evaluation_key`, evaluationKeys)}${condition}`;
  return query(name, select({ key }, sql` FROM ${table} WHERE ${among} GROUP BY evaluation_key`));
}

/**
 * What the evaluations of a project may be named by, with or without trials: by start, those without one last, then by
 * id.
 */
export function compileEvaluationNames(projectId: string) {
  const names = select(
    {
      id: column.text(sql`e.id`),
      displayName: nullable(column.text(sql`e.display_name`)),
      modelRef: nullable(column.text(sql`e.model_ref`)),
      startedAt: nullable(column.bigint(sql`e.started_at`)),
      commit: nullable(column.text(sql`e.code_commit`)),
      branch: nullable(column.text(sql`e.code_branch`)),
      file: nullable(column.text(sql`e.import_file`)),
      ended: column.boolean(sql`e.ended_at IS NOT NULL`),
      exception: nullable(column.text(sql`e.exception`)),
      partial,
    },
    sql` FROM evaluations AS e JOIN projects AS p USING (project_key)
    WHERE p.project_id = ${text(projectId)} AND NOT e.hidden ORDER BY e.started_at NULLS LAST, e.id`,
  );
  return query("evaluation names", names);
}

/** The evaluations of a project in the order of their start, those without one last, then of their id. */
export function compileEvaluationList(projectId: string) {
  const evaluations = select(
    {
      id: column.text(sql`e.id`),
      displayName: nullable(column.text(sql`e.display_name`)),
      evaluationRef: nullable(column.text(sql`e.evaluation_ref`)),
      modelRef: nullable(column.text(sql`e.model_ref`)),
      datasetRef: nullable(column.text(sql`e.dataset_ref`)),
      startedAt: nullable(column.bigint(sql`e.started_at`)),
      endedAt: nullable(column.bigint(sql`e.ended_at`)),
      exception: nullable(column.text(sql`e.exception`)),
      commit: nullable(column.text(sql`e.code_commit`)),
      branch: nullable(column.text(sql`e.code_branch`)),
      file: nullable(column.text(sql`e.import_file`)),
      /** JSON text. */
      attributes: nullable(column.text(sql`e.attributes`)),
      /** Start of the trial that started last, as all times in microseconds since 1970. */
      lastTrialAt: nullable(column.bigint(sql`t.last`)),
      /** What the references of its rows begin with, the first of several. */
      datasetPrefix: nullable(column.text(sql`t.dataset`)),
      trials: column.integer(sql`coalesce(t.n, 0)`),
      partial,
    },
    sql`
    FROM evaluations AS e JOIN projects AS p USING (project_key)
    LEFT JOIN (
      SELECT evaluation_key, count(*) AS n, max(started_at) AS last, min(reference_prefix) AS dataset
      FROM trials GROUP BY evaluation_key
    ) AS t USING (evaluation_key)
    WHERE p.project_id = ${text(projectId)} AND NOT e.hidden AND (e.has_root OR t.n > 0)
    ORDER BY e.started_at NULLS LAST, e.id`,
  );
  return query("evaluation list", evaluations);
}

/** An evaluation in the list of a project. */
export type ListedEvaluation = RowOf<typeof compileEvaluationList>;

/** The errors of the evaluations of a project that have any. */
export function compileListedErrors(projectKey: number) {
  const failed = sql`failed AS MATERIALIZED (SELECT x.evaluation_key AS evaluation_key, x.row_key AS row_key, x.trial_key AS trial_key
    FROM errored_trials AS x JOIN evaluations AS e ON e.evaluation_key = x.evaluation_key
    WHERE e.project_key = ${constant(projectKey)} AND NOT e.hidden)`;
  const texts = sql`SELECT evaluation_key, stated, count(*)::BIGINT AS times
    FROM (${statedErrors({ projectKey, includeChildren: true })}) GROUP BY evaluation_key, stated`;
  const groups = sql`SELECT evaluation_key, grouped, ${wideSum(sql`times`)} AS n
    FROM (SELECT evaluation_key, times, ${groupedText(sql`stated`)} AS grouped FROM (${texts})) GROUP BY evaluation_key, grouped`;
  const errors = select(
    {
      /** Id of the evaluation. */
      id: column.text(sql`e.id`),
      count: column.integer(sql`g.total`),
      /** Their most frequent text, of several the first by code point. */
      top: column.text(sql`g.top`),
    },
    sql` FROM (SELECT evaluation_key, ${wideSum(sql`n`)} AS total, ${firstBy(sql`grouped`, sql`-n, grouped`)} AS top
      FROM (${groups}) GROUP BY evaluation_key) AS g JOIN evaluations AS e ON e.evaluation_key = g.evaluation_key`,
  );
  return query("listed errors", errors, sql`WITH ${failed} ${errors.sql}`);
}

const LINE_END = sql`'\n'`;

/**
 * The rows that ran in the evaluations `e` of which `among` is true. Of several with the same contents one is hashed:
 * to join and sort a million digests takes a second.
 */
export function compileRowSets(among: Sql) {
  const sets = sql`sets AS MATERIALIZED (SELECT t.evaluation_key AS evaluation_key, count(DISTINCT t.row_key) AS n,
      sum(DISTINCT hash(coalesce(t.content_key, t.row_key))) AS print
    FROM trials AS t JOIN evaluations AS e ON e.evaluation_key = t.evaluation_key
    WHERE ${among} GROUP BY t.evaluation_key)`;
  const contents = sql`SELECT f.print AS print, r.digest AS digest
    FROM (SELECT print, min(evaluation_key) AS one FROM sets GROUP BY print) AS f
    JOIN trials AS t ON t.evaluation_key = f.one JOIN rows AS r ON r.row_key = coalesce(t.content_key, t.row_key)
    GROUP BY f.print, r.digest`;
  const rows = select(
    {
      /** Id of the evaluation. */
      id: column.text(sql`e.id`),
      count: column.integer(sql`s.n`),
      /** SHA-256 of the digests of their contents, sorted, each with a line end. */
      digest: column.text(sql`h.digest`),
    },
    sql` FROM sets AS s JOIN evaluations AS e ON e.evaluation_key = s.evaluation_key
    JOIN (SELECT print, sha256(${joinedTexts(sql`digest`, sql`digest`, LINE_END)} || ${LINE_END}) AS digest
      FROM (${contents}) GROUP BY print) AS h ON h.print = s.print`,
  );
  return query("row sets", rows, sql`WITH ${sets} ${rows.sql}`);
}

/** Whether a row has several trials in one of these evaluations, that is, more trials than evaluations. One scan. */
export function compileHasRepeated(keys: readonly number[]): Query<{ readonly repeated: boolean }> {
  const repeated = select(
    { repeated: column.boolean(sql`coalesce(sum(trials) <> sum(evaluations), false)`) },
    sql` FROM (
    SELECT count(*) AS trials, ${countEvaluations(keys, sql`evaluation_key`)} AS evaluations
    FROM trials WHERE ${inKeys(sql`evaluation_key`, keys)} GROUP BY row_key)`,
  );
  return query("repeated trials", repeated);
}

/** One SELECT for each evaluation: DuckDB groups a single evaluation by row in an array. */
export function compileMostTrials(keys: readonly number[]) {
  const parts = keys.map((key) =>
    select(
      { key: column.integer(constant(key)), most: column.integer(sql`coalesce(max(n), 0)`) },
      sql` FROM (
      SELECT count(*) AS n FROM trials WHERE evaluation_key = ${constant(key)} GROUP BY row_key)`,
    ),
  );
  return query("trials per row", unionAll(parts));
}

/**
 * How seldom evaluations are right on each row: 1 less the mean over them of the mean of its trials, at most `limit` of
 * them.
 */
export function compileRowDifficulties(
  evaluationKeys: readonly number[],
  pathKey: number,
  withLate: boolean,
  limit: number,
) {
  const late = withLate ? EMPTY : sql` AND NOT late`;
  const ofEach = sql`SELECT row_key, ${exactMeanOf(sql`number`)} AS value FROM scores
    WHERE path_key = ${constant(pathKey)} AND ${inKeys(sql`evaluation_key`, evaluationKeys)}
    AND kind < ${constant(TEXT)} AND number IS NOT NULL${late} GROUP BY row_key, evaluation_key`;
  const difficulties = select(
    { key: column.key(sql`row_key`), value: column.double(sql`1 - ${exactMeanOf(sql`value`)}`) },
    sql` FROM (${ofEach}) GROUP BY row_key LIMIT ${constant(limit)}`,
  );
  return query("row difficulties", difficulties);
}

/** The mean of what is summed in any order; of equal numbers the number. */
function exactMeanOf(name: Sql): Sql {
  return sql`CASE WHEN min(${name}) = max(${name}) THEN min(${name}) ELSE ${exactSum(name)} / count(*) END`;
}
