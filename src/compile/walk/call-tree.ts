import { column, nullable, query, select } from "../../store/query.ts";
import { constant, EMPTY, identifier, join, loaded, sql, text, type Sql } from "../../store/sql.ts";
import { inKeys } from "../relations/relations.ts";
import { callHash, CALL_TREE } from "../relations/spelled.ts";

/** Of which trials steps are asked. */
export interface WalkScope {
  readonly projectId: string;
  readonly projectKey: number;
  readonly evaluationKeys: readonly number[];
  /** Ids of the trials alone that are asked; null for all. */
  readonly trialIds: readonly string[] | null;
}

function ofScope({ evaluationKeys, trialIds }: WalkScope): Sql {
  const ids = trialIds === null ? EMPTY : sql` AND t.id IN (${join(trialIds.map((id) => sql`${text(id)}`))})`;
  return sql`${inKeys(sql`t.evaluation_key`, evaluationKeys)}${ids}`;
}

/** Whether any call that is stored may be a step. */
export function compileAnyStep() {
  const from = sql` FROM call_steps AS s WHERE s.operation > 0 OR s.by_usage LIMIT 1`;
  return query("any step", select({ key: column.key(sql`s.call_key`) }, from));
}

/** The trials of a walk; hashes are those by which calls name their parents. */
export function compileWalkedTrials(scope: WalkScope) {
  const columns = {
    key: column.key(sql`t.trial_key`),
    evaluationId: column.text(sql`e.id`),
    rowDigest: column.text(sql`r.digest`),
    id: column.text(sql`t.id`),
    hash: column.bigint(callHash(scope, sql`t.id`)),
    predictHash: nullable(column.bigint(callHash(scope, sql`t.predict_call_id`))),
    scorerCallIds: nullable(column.text(sql`t.scorer_call_ids`)),
  };
  const from = sql` FROM trials AS t JOIN evaluations AS e ON e.evaluation_key = t.evaluation_key
    JOIN rows AS r ON r.row_key = t.row_key WHERE ${ofScope(scope)}`;
  return query("walked trials", select(columns, from));
}

/** The hashes of the calls with the ids that are loaded as `walked_ids`. */
export function loadedIdHashes(scope: WalkScope) {
  const columns = { hash: column.bigint(callHash(scope, sql`x.id`)) };
  return query("hashes of calls", select(columns, sql` FROM ${loaded("walked_ids")} AS x`));
}

/** The hashes of the calls of the project that have trials, and of the trials below those that are loaded. */
export function compileEvaluationHashes(scope: WalkScope) {
  const columns = {
    key: column.integer(sql`e.evaluation_key`),
    hash: column.bigint(callHash(scope, sql`e.id`)),
  };
  const from = sql` FROM evaluations AS e WHERE e.project_key = ${constant(scope.projectKey)}
    AND e.evaluation_key IN (SELECT evaluation_key FROM trials)`;
  return query("hashes of evaluations", select(columns, from));
}

export function compileTrialHashes(scope: WalkScope, evaluationKeys: readonly number[]) {
  const columns = { hash: column.bigint(callHash(scope, sql`t.id`)) };
  const from = sql` FROM trials AS t WHERE ${inKeys(sql`t.evaluation_key`, evaluationKeys)}`;
  return query("hashes of trials", select(columns, from));
}

/** How a column of the tree is read: as two halves of 64 bits, a double, a time, or a text. */
type TreeKind = "halves" | "double" | "text";

/** The columns of a call of the tree. What is null reads as -1, where numbers are 0 or more. */
export const TREE_COLUMNS = {
  hash: ["halves", sql`n.hash`],
  parent: ["halves", sql`n.parent_hash`],
  startedAt: ["halves", sql`n.started_at`],
  /** Calls up to the trial, 0 where that is not known. */
  level: ["double", sql`CAST(n.level AS DOUBLE)`],
  /** The operation, and marks from 4 on. */
  state: [
    "double",
    sql`CAST(coalesce(s.operation, 0) + CASE WHEN s.by_usage THEN 4 ELSE 0 END + CASE WHEN s.is_score THEN 8 ELSE 0 END
      + CASE WHEN s.error_unknown THEN 16 ELSE 0 END + CASE WHEN s.error_type IS NOT NULL THEN 32 ELSE 0 END
      + coalesce(s.untimed, 0) * 64 AS DOUBLE)`,
  ],
  action: ["halves", sql`s.action`],
  place: ["double", sql`CAST(coalesce(s.place, -1) AS DOUBLE)`],
  seconds: ["double", sql`coalesce(CAST(n.ended_at - n.started_at AS DOUBLE) / 1e6, -1e0)`],
  inputTokens: ["double", sql`CAST(coalesce(s.input_tokens, -1) AS DOUBLE)`],
  outputTokens: ["double", sql`CAST(coalesce(s.output_tokens, -1) AS DOUBLE)`],
  cachedTokens: ["double", sql`CAST(coalesce(s.cached_tokens, -1) AS DOUBLE)`],
  cost: ["double", sql`coalesce(s.cost, -1e0)`],
  name: ["text", sql`s.name`],
  model: ["text", sql`s.model`],
  finishReason: ["text", sql`s.finish_reason`],
  errorType: ["text", sql`s.error_type`],
  id: ["text", sql`n.id`],
  parentId: ["text", sql`n.parent_id`],
} as const satisfies Readonly<Record<string, readonly [kind: TreeKind, value: Sql]>>;

export type TreeColumn = keyof typeof TREE_COLUMNS;

const NODE_COLUMNS = sql`c.call_key AS call_key, c.hash AS hash, c.parent_hash AS parent_hash,
  c.started_at AS started_at, c.ended_at AS ended_at, c.id AS id, c.parent_id AS parent_id`;

/**
 * The calls below the trials, down to so many levels; all calls of the project that have a parent where `levels` is
 * null.
 */
export function compileCallTree(
  scope: WalkScope,
  columns: readonly TreeColumn[],
  levels: number | null,
): Sql {
  const selected = columns.map((name) => sql`${TREE_COLUMNS[name][1]} AS ${identifier(name)}`);
  const own = sql`SELECT ${join(selected)}`;
  const steps = sql`LEFT JOIN call_steps AS s ON s.call_key = n.call_key`;
  const ofProject = sql`c.project_key = ${constant(scope.projectKey)}`;
  if (levels === null)
    return sql`${own} FROM (SELECT ${NODE_COLUMNS}, 0 AS level FROM ${CALL_TREE} AS c
      WHERE ${ofProject} AND c.parent_hash IS NOT NULL) AS n ${steps}`;
  const numbers = Array.from({ length: levels }, (_, i) => i + 1);
  const tables = numbers.map(
    (level) => sql`level_${constant(level)} AS MATERIALIZED (SELECT ${NODE_COLUMNS} FROM ${CALL_TREE} AS c
      WHERE ${ofProject} AND c.parent_hash IN (SELECT hash FROM level_${constant(level - 1)})
        AND c.hash NOT IN (SELECT hash FROM level_0))`,
  );
  const all = numbers.map(
    (level) => sql`SELECT *, ${constant(level)} AS level FROM level_${constant(level)}`,
  );
  const trials = sql`SELECT ${callHash(scope, sql`t.id`)} AS hash FROM trials AS t WHERE ${ofScope(scope)}`;
  return sql`WITH level_0 AS MATERIALIZED (${trials}),
    ${join(tables)} ${own} FROM (${join(all, sql` UNION ALL `)}) AS n ${steps}`;
}
