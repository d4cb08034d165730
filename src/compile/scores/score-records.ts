import type { Key } from "../../model/digest.ts";
import { bitRange } from "../../model/numbers.ts";
import { BOOLEAN, NUMBER, TEXT } from "../../model/score-kind.ts";
import { column, nullable, query, type RowOf, select, unionAll } from "../../store/query.ts";
import { constant, EMPTY, identifier, join, sql, type Sql } from "../../store/sql.ts";
import type { Exponents, Plan, VirtualLeaf } from "../../plan/plan.ts";
import type { DerivedLeaf, FeedbackLeaf } from "../../plan/virtual-leaves.ts";
import { inKeys } from "../relations/relations.ts";
import { amongKeys, filtered, readingsOf, small } from "../relations/spelled.ts";
import { leavesOf, requiredLeaves } from "../../model/score-expression.ts";
import { feedbackRecords, givenFeedback, tiedTrials } from "./feedback-scores.ts";
import { costTables } from "./trial-costs.ts";
import { computeScore } from "./arithmetic.ts";

/** The part of a plan that decides which score records there are. */
export type ScoreScope = Pick<Plan, "projectId" | "evaluationKeys" | "includeChildren" | "virtualLeaves">;

const STORED = sql`SELECT path_key, evaluation_key, row_key, trial_key, kind, late, number, text FROM scores`;

/**
 * The score values that a plan may read, as a FROM item named `scores` or `alias`: (path_key, evaluation_key, row_key,
 * trial_key, kind, late, number, text). Every statement over score values reads them from here. Virtual dimensions are
 * computed for the evaluations of the plan. A statement that reads few dimensions passes `pathKeys`; values of others
 * may then be missing. Those that fields alone name are read where their keys are passed.
 */
export function scoreValues(
  scope: ScoreScope,
  alias: Sql | null = null,
  pathKeys: readonly number[] | null = null,
): Sql {
  const leaves = leavesAmong(scope, pathKeys);
  if (leaves.length === 0) return alias === null ? sql`scores` : sql`scores AS ${alias}`;
  const stored = readsStored(pathKeys) ? [STORED] : [];
  const parts = [...stored, ...virtualRecords(scope, leaves)];
  return sql`(${join(parts, sql` UNION ALL `)}) AS ${alias ?? sql`scores`}`;
}

/** {@link scoreValues} in parts without a common dimension, which is faster for statements that group by dimension. */
export function scoreValueParts(scope: ScoreScope, alias: Sql, pathKeys: readonly number[] | null): Sql[] {
  const stored = readsStored(pathKeys) ? [sql`scores AS ${alias}`] : [];
  const virtual = virtualRecords(scope, leavesAmong(scope, pathKeys));
  return [...stored, ...virtual.map((records) => sql`(${records}) AS ${alias}`)];
}

function leavesAmong(
  { virtualLeaves }: ScoreScope,
  pathKeys: readonly number[] | null,
): readonly VirtualLeaf[] {
  return virtualLeaves.filter(({ key, isField }) =>
    pathKeys === null ? isField !== true : pathKeys.includes(key),
  );
}

function readsStored(pathKeys: readonly number[] | null): boolean {
  return pathKeys === null || pathKeys.some((key) => key >= 0);
}

type Kind = VirtualLeaf["kind"];
type OfKind<One extends Kind> = Extract<VirtualLeaf, { readonly kind: One }>;
type KnownKind = "consensus" | "steps" | "faults" | "difficulty";
type MakeRecords<Leaf> = (scope: ScoreScope, leaves: readonly Leaf[]) => readonly Sql[];

const known = (kind: KnownKind) =>
  ofKind<KnownKind>(kind, (scope, leaves) => leaves.map((leaf) => numberRecords(scope, leaf)));

/** The records of each kind of virtual dimension, as one or several relations. */
const RECORDS: { readonly [One in Kind]: MakeRecords<VirtualLeaf> } = {
  feedback: ofKind("feedback", (scope, leaves) => [
    feedbackRecords({ ...scope, leaves, trials: trialsOf(scope) }),
  ]),
  derived: ofKind("derived", (scope, leaves) => {
    const records = (pathKeys: readonly number[]) => leafRecords(scope, pathKeys);
    const source = { records, trials: trialsOf(scope) };
    return leaves.map((leaf) => derivedRecords(leaf, source));
  }),
  usage: ofKind("usage", (scope, leaves) => leaves.map((leaf) => usageRecords(scope, leaf))),
  consensus: known("consensus"),
  steps: known("steps"),
  faults: known("faults"),
  difficulty: known("difficulty"),
  cost: ofKind("cost", (scope, leaves) => leaves.map((leaf) => costRecords(scope, leaf))),
};

function ofKind<One extends Kind>(kind: One, make: MakeRecords<OfKind<One>>): MakeRecords<VirtualLeaf> {
  return (scope, leaves) => {
    const own = leaves.filter((leaf): leaf is OfKind<One> => leaf.kind === kind);
    return own.length === 0 ? [] : make(scope, own);
  };
}

function virtualRecords(scope: ScoreScope, leaves: readonly VirtualLeaf[]): Sql[] {
  return Object.values(RECORDS).flatMap((make) => make(scope, leaves));
}

/** Latency or tokens of the trials, in the columns of `scores`. */
function usageRecords(
  { evaluationKeys, includeChildren }: ScoreScope,
  { key, measure }: VirtualLeaf & { readonly kind: "usage" },
): Sql {
  const number = identifier(includeChildren ? measure : `own_${measure}`);
  return sql`SELECT ${constant(key)} AS path_key, evaluation_key, row_key, trial_key, ${small(constant(NUMBER))} AS kind,
      false AS late, ${number} AS number, NULL::VARCHAR AS text
    FROM trials WHERE ${number} IS NOT NULL AND ${inKeys(sql`evaluation_key`, evaluationKeys)}`;
}

/** Numbers of trials, or of all trials of rows, that are known already, in the columns of `scores`. */
function numberRecords({ evaluationKeys }: ScoreScope, leaf: OfKind<KnownKind>): Sql {
  const kind = leaf.kind === "consensus" && leaf.valueType === "boolean" ? BOOLEAN : NUMBER;
  const unit = leaf.kind === "difficulty" ? sql`row_key` : sql`trial_key`;
  return sql`SELECT ${constant(leaf.key)} AS path_key, t.evaluation_key AS evaluation_key, t.row_key AS row_key,
      t.trial_key AS trial_key, ${small(constant(kind))} AS kind, false AS late, n.number AS number,
      NULL::VARCHAR AS text
    FROM ${readingsOf(leaf.numbers.keys, leaf.numbers.numbers, "[]")} AS n JOIN trials AS t ON t.${unit} = n.trial_key
    WHERE ${inKeys(sql`t.evaluation_key`, evaluationKeys)}`;
}

/** What the trials cost, in the columns of `scores`. */
function costRecords(
  { projectId, evaluationKeys, includeChildren }: ScoreScope,
  { key, projectKey, prices }: VirtualLeaf & { readonly kind: "cost" },
): Sql {
  const tables = costTables({ projectId, projectKey, evaluationKeys, includeChildren }, prices, EMPTY, EMPTY);
  return sql`SELECT ${constant(key)} AS path_key, t.evaluation_key AS evaluation_key, t.row_key AS row_key, t.trial_key AS trial_key,
      ${small(constant(NUMBER))} AS kind, false AS late, c.cost AS number, NULL::VARCHAR AS text
    FROM (WITH ${join(tables)} SELECT trial_key, cost FROM trial_costs) AS c
      JOIN trials AS t ON t.trial_key = c.trial_key`;
}

/** (row_key, trial_key) of the trials of the scope on which people disagree evenly in these dimensions. */
export function tiedRecords(scope: ScoreScope, leaves: readonly FeedbackLeaf[]): Sql {
  return tiedTrials({ ...scope, leaves, trials: trialsOf(scope) });
}

/** What each person says on the trials of the scope, in one dimension. */
export function givenRecords(scope: ScoreScope, leaf: FeedbackLeaf): Sql {
  return givenFeedback({ ...scope, leaves: [leaf], trials: trialsOf(scope) });
}

function trialsOf({ evaluationKeys }: ScoreScope): Sql {
  return sql`SELECT id, predict_call_id, evaluation_key, row_key, trial_key FROM trials
    WHERE ${inKeys(sql`evaluation_key`, evaluationKeys)}`;
}

/** The numbers and booleans of the dimensions that a derived score reads. */
function leafRecords(scope: ScoreScope, pathKeys: readonly number[]): Sql {
  const columns = sql`SELECT path_key, evaluation_key, row_key, trial_key, number`;
  const stored = pathKeys.filter((key) => key >= 0);
  const feedback = scope.virtualLeaves.filter(
    (leaf) => leaf.kind === "feedback" && pathKeys.includes(leaf.key),
  );
  const late = scope.includeChildren ? EMPTY : sql` AND NOT late`;
  const parts = [
    ...(stored.length === 0
      ? []
      : [
          sql`${columns} FROM scores WHERE ${inKeys(sql`path_key`, stored)}
    AND ${inKeys(sql`evaluation_key`, scope.evaluationKeys)} AND kind < ${constant(TEXT)} AND number IS NOT NULL${late}`,
        ]),
    ...virtualRecords(scope, feedback).map((records) => sql`${columns} FROM (${records})`),
  ];
  return join(parts, sql` UNION ALL `);
}

/** The numbers of the trials of the scope in these dimensions, at most `limit` of them. */
export function compileLeafNumbers(scope: ScoreScope, pathKeys: readonly number[], limit: number) {
  const numbers = select(
    {
      trial: column.key(sql`trial_key`),
      pathKey: column.integer(sql`path_key`),
      value: column.double(sql`number`),
    },
    sql` FROM (${leafRecords(scope, pathKeys)}) LIMIT ${constant(limit)}`,
  );
  return query("leaf numbers", numbers);
}

/** The range of the absolute non-zero values of each kind in these dimensions; null where there are none. */
export function compileVirtualRanges(scope: ScoreScope, leaves: readonly VirtualLeaf[]) {
  const parts = virtualRecords(scope, leaves).map((records) =>
    select(
      {
        pathKey: column.integer(sql`path_key`),
        kind: column.integer(sql`kind`),
        most: nullable(column.double(filtered(sql`max(abs(number))`, sql`number <> 0`))),
        least: nullable(column.double(filtered(sql`min(abs(number))`, sql`number <> 0`))),
      },
      sql` FROM (${records}) GROUP BY path_key, kind`,
    ),
  );
  return query("virtual ranges", unionAll(parts));
}

/** Exponents of no number but 0, which are not those of a dimension that passes or fails. */
export const ALL_ZERO: Exponents = { max: 0, min: 0, lowBit: -1 };

const FRACTION_BITS = 52;

/** The exponents of the numbers of one dimension; `lowBit` is a bound. */
export function exponentsAmong(found: readonly RowOf<typeof compileVirtualRanges>[]): Exponents | null {
  const sizes = found.flatMap(({ most, least }) =>
    most === null || least === null ? [] : [{ most, least }],
  );
  if (sizes.length === 0) return null;
  const max = bitRange(Math.max(...sizes.map(({ most }) => most))).high;
  const min = bitRange(Math.min(...sizes.map(({ least }) => least))).high;
  const whole = found.every(({ kind }) => kind === BOOLEAN);
  return { max, min, lowBit: whole ? 0 : Math.max(min - FRACTION_BITS, -1074) };
}

/** The kinds of values that stored dimensions have. */
export function compileValueKinds(pathKeys: readonly number[]) {
  const kinds = select(
    { pathKey: column.integer(sql`path_key`), kind: column.integer(sql`kind`) },
    sql` FROM scores WHERE ${inKeys(sql`path_key`, pathKeys)}
    AND (kind = ${constant(TEXT)} OR number IS NOT NULL) GROUP BY path_key, kind`,
  );
  return query("value kinds", kinds);
}

/** The virtual scores of the trials of some rows. */
export function compileVirtualScores(plan: Plan, rowKeys: readonly Key[]) {
  const parts = virtualRecords(plan, plan.virtualLeaves);
  const scores = select(
    {
      trialKey: column.key(sql`trial_key`),
      pathKey: column.integer(sql`path_key`),
      kind: column.integer(sql`kind`),
      number: column.double(sql`number`),
    },
    sql` FROM (${join(parts, sql` UNION ALL `)})
    WHERE ${amongKeys(sql`row_key`, rowKeys)}`,
  );
  return query("virtual scores", scores);
}

/** The records of a derived score, in the columns of `scores`. */
function derivedRecords(leaf: DerivedLeaf, source: LeafSource): Sql {
  const pathKeys = [...new Set(leavesOf(leaf.expression))];
  const pivoted = pivotLeaves(pathKeys, requiredLeaves(leaf.expression), source);
  const { from, value } = computeScore(leaf.expression, pivoted, leafColumn);
  return sql`SELECT ${constant(leaf.key)} AS path_key, evaluation_key, row_key, trial_key,
    ${small(constant(leaf.valueType === "boolean" ? 1 : 0))} AS kind, false AS late, ${value} AS number, NULL::VARCHAR AS text
    FROM ${from} WHERE ${value} IS NOT NULL`;
}

/** Relations with the dimensions that an expression reads. */
interface LeafSource {
  /** The numbers and booleans of some dimensions: (path_key, evaluation_key, row_key, trial_key, number). */
  readonly records: (pathKeys: readonly number[]) => Sql;
  /** All trials: (evaluation_key, row_key, trial_key). */
  readonly trials: Sql;
}

/** The most dimensions that are joined; DuckDB takes very long to order more joins. */
const MOST_JOINED = 3;

/**
 * One record for each trial: (evaluation_key, row_key, trial_key) and a column with the number of each dimension.
 * Trials that lack a `needed` dimension may be left out.
 */
function pivotLeaves(pathKeys: readonly number[], needed: ReadonlySet<number>, source: LeafSource): Sql {
  return pathKeys.length <= MOST_JOINED
    ? joined(pathKeys, needed, source)
    : grouped(pathKeys, needed, source);
}

function leafColumn(pathKey: number): Sql {
  return identifier(`x${pathKey}`);
}

function joined(pathKeys: readonly number[], needed: ReadonlySet<number>, source: LeafSource): Sql {
  const ordered = pathKeys.toSorted((a, b) => Number(needed.has(b)) - Number(needed.has(a)));
  const driver = ordered.find((key) => needed.has(key));
  const base = driver === undefined ? sql`t` : leafColumn(driver);
  const first =
    driver === undefined ? sql`(${source.trials}) AS t` : sql`(${source.records([driver])}) AS ${base}`;
  const joins = ordered
    .filter((key) => key !== driver)
    .map((key) => {
      const kind = needed.has(key) ? sql` JOIN ` : sql` LEFT JOIN `;
      const alias = leafColumn(key);
      return sql`${kind}(${source.records([key])}) AS ${alias} ON ${alias}.trial_key = ${base}.trial_key`;
    });
  const columns = pathKeys.map((key) => sql`, ${leafColumn(key)}.number AS ${leafColumn(key)}`);
  // With names of their own: ClickHouse calls a column of three relations by that of its relation, too.
  return sql`(SELECT ${base}.evaluation_key AS evaluation_key, ${base}.row_key AS row_key, ${base}.trial_key AS trial_key${join(columns, EMPTY)}
    FROM ${first}${join(joins, EMPTY)})`;
}

function grouped(pathKeys: readonly number[], needed: ReadonlySet<number>, source: LeafSource): Sql {
  const columns = pathKeys.map(
    (key) => sql`, ${filtered(sql`max(number)`, sql`path_key = ${constant(key)}`)} AS ${leafColumn(key)}`,
  );
  const bare =
    needed.size > 0
      ? EMPTY
      : sql` UNION ALL SELECT NULL, evaluation_key, row_key, trial_key, NULL FROM (${source.trials})`;
  return sql`(SELECT evaluation_key, row_key, trial_key${join(columns, EMPTY)}
    FROM (${source.records(pathKeys)}${bare}) GROUP BY evaluation_key, row_key, trial_key)`;
}
