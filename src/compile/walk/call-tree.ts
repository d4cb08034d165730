import type { Key } from "../../model/digest.ts";
import { column, nullable, query, select } from "../../store/query.ts";
import { constant, EMPTY, identifier, join, loaded, sql, text, type Sql } from "../../store/sql.ts";
import { inKeys } from "../relations/relations.ts";
import { amongKeys, callHash, CALL_TREE, ofFew, small } from "../relations/spelled.ts";

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

/** How a column of the tree is read: as two halves of 64 bits, a double, a byte, a text of few, or one of its own. */
type TreeKind = "halves" | "double" | "byte" | "word" | "text";

type Columns = Readonly<Record<string, readonly [kind: TreeKind, value: Sql]>>;

/** What is read of a call; what is null reads as -1, where numbers are 0 or more. */
const CALL_COLUMNS = {
  hash: ["halves", sql`c.hash`],
  parent: ["halves", sql`c.parent_hash`],
  /** Its key in the database. */
  key: ["halves", sql`CAST(c.call_key AS BIGINT)`],
  startedAt: ["halves", sql`c.started_at`],
  microseconds: ["double", sql`coalesce(CAST(c.ended_at - c.started_at AS DOUBLE), -1e0)`],
  id: ["text", sql`c.id`],
  parentId: ["text", sql`c.parent_id`],
} as const satisfies Columns;

/** What is read of a call that may be a step; those of other calls read as 0, -1 or null. */
const STEP_COLUMNS = {
  /** The operation, and marks from 4 on. */
  state: [
    "byte",
    small(sql`s.operation + ${small(sql`s.by_usage`)} * 4 + ${small(sql`s.is_score`)} * 8
      + ${small(sql`s.error_unknown`)} * 16 + ${small(sql`(s.error_type IS NOT NULL)`)} * 32 + s.untimed * 64`),
  ],
  action: ["halves", sql`s.action`],
  place: ["double", sql`CAST(coalesce(s.place, -1) AS DOUBLE)`],
  inputTokens: ["double", sql`CAST(coalesce(s.input_tokens, -1) AS DOUBLE)`],
  outputTokens: ["double", sql`CAST(coalesce(s.output_tokens, -1) AS DOUBLE)`],
  cachedTokens: ["double", sql`CAST(coalesce(s.cached_tokens, -1) AS DOUBLE)`],
  cost: ["double", sql`coalesce(s.cost, -1e0)`],
  name: ["word", sql`s.name`],
  model: ["word", sql`s.model`],
  finishReason: ["word", sql`s.finish_reason`],
  errorType: ["word", sql`s.error_type`],
} as const satisfies Columns;

export type CallColumn = keyof typeof CALL_COLUMNS;
export type StepColumn = keyof typeof STEP_COLUMNS;
export type TreeColumn = CallColumn | StepColumn;

export function isCallColumn(name: TreeColumn): name is CallColumn {
  return Object.hasOwn(CALL_COLUMNS, name);
}

export function columnKind(name: TreeColumn): TreeKind {
  return isCallColumn(name) ? CALL_COLUMNS[name][0] : STEP_COLUMNS[name][0];
}

/** Whose children are read: of the trials, of calls with these hashes or those loaded as `walked_hashes`, of others. */
export type Parents = "trials" | readonly bigint[] | "loaded" | "others";

/** The calls of the project below some others, so many at most. */
export function compileCallTree(
  scope: WalkScope,
  columns: readonly CallColumn[],
  parents: Parents,
  most: number | null = null,
): Sql {
  const selected = columns.map((name) => sql`${CALL_COLUMNS[name][1]} AS ${identifier(name)}`);
  const trials = sql`(SELECT ${callHash(scope, sql`t.id`)} FROM trials AS t WHERE ${ofScope(scope)})`;
  const parent = sql`c.parent_hash`;
  const below = {
    trials: sql`${parent} IN ${trials}`,
    loaded: sql`${parent} IN (SELECT x.hash FROM ${loaded("walked_hashes")} AS x)`,
    others: sql`${parent} IS NOT NULL AND ${parent} NOT IN ${trials}`,
  };
  const ofProject = sql`c.project_key = ${constant(scope.projectKey)}`;
  const among = typeof parents === "string" ? below[parents] : amongKeys(parent, parents);
  // Hashes lie anywhere, so a condition on them alone reads all columns of all calls.
  const ofFewParents = typeof parents !== "string" || (parents === "trials" && scope.trialIds !== null);
  const condition = sql`${ofProject} AND ${among}`;
  const where = ofFewParents ? ofFew(sql`${CALL_TREE} AS c`, condition, 0) : condition;
  const limit = most === null ? EMPTY : sql` LIMIT ${constant(most)}`;
  return sql`SELECT ${join(selected)} FROM ${CALL_TREE} AS c
    WHERE ${where}${limit}`;
}

/** What calls tell of steps: of those with these keys, or of all between two of them. */
export function compileTreeSteps(
  columns: readonly StepColumn[],
  keys: readonly Key[] | { readonly from: Key; readonly to: Key },
): Sql {
  const selected = columns.map((name) => sql`${STEP_COLUMNS[name][1]} AS ${identifier(name)}`);
  const key = sql`s.call_key`;
  const among =
    "from" in keys
      ? sql`${key} BETWEEN ${constant(keys.from)} AND ${constant(keys.to)}`
      : amongKeys(key, keys);
  return sql`SELECT ${join([sql`CAST(s.call_key AS BIGINT) AS step_key`, ...selected])} FROM call_steps AS s
    WHERE ${among}`;
}
