import { constant, EMPTY, join, sql, type Sql } from "../../store/sql.ts";
import {
  mayBeLong,
  type FieldSource,
  type LongReadings,
  type Plan,
  type TextRange,
} from "../../plan/plan.ts";
import {
  amongKeys,
  documentsWith,
  isStub,
  named,
  readingsOf,
  trialsWith,
  countEvaluations,
  firstBy,
  hasScores,
  jsonAt,
  jsonColumns,
  modelOutputAt,
} from "./spelled.ts";

/** `column IN (…)` with keys as constants. */
export function inKeys(column: Sql, keys: readonly number[]): Sql {
  if (keys.length === 0) return sql`false`;
  if (keys.length === 1) return sql`${column} = ${constant(keys[0] ?? 0)}`;
  return sql`${column} IN (${join(keys.map(constant))})`;
}

/** The position of an evaluation in the request. */
export function position(plan: Pick<Plan, "evaluationKeys">, column: Sql): Sql {
  if (plan.evaluationKeys.length === 0) return sql`0`;
  const whens = plan.evaluationKeys.map((key, i) => sql` WHEN ${constant(key)} THEN ${constant(i)}`);
  return sql`(CASE ${column}${join(whens, EMPTY)} END)`;
}

/** Orders the trials of a row by position of the evaluation in the request, start and id; columns of `trials`. */
export function trialOrder(plan: Pick<Plan, "evaluationKeys">, alias: Sql): Sql {
  return sql`${position(plan, sql`${alias}.evaluation_key`)}, ${alias}.started_at, ${alias}.id`;
}

/** In which order trials say what a row holds: of rows with keys the evaluation that started last says it. */
export function rowOrder(plan: Pick<Plan, "evaluationKeys" | "latestFirst">, alias: Sql): Sql {
  return trialOrder(plan.latestFirst.length > 0 ? { evaluationKeys: plan.latestFirst } : plan, alias);
}

/** Excludes late scores unless children are included. */
export function scoreScope(plan: Pick<Plan, "includeChildren">, alias: Sql): Sql {
  return plan.includeChildren ? EMPTY : sql` AND NOT ${alias}.late`;
}

/** A value inside the output of a trial, or inside its model output; in a range, of the long text itself. */
export function outputValue(
  alias: Sql,
  field: FieldSource & { kind: "output" },
  range: TextRange | null = null,
): Sql {
  const stored = storedValue(alias, field);
  const pointer = field.of === "model" ? field.pointer : /^\/output(?=\/|$)(.*)$/s.exec(field.pointer)?.[1];
  if (range === null || pointer === undefined) return stored;
  const whole = sql`${alias}.model_text`;
  const value = pointer === "" ? whole : jsonAt(whole, pointer);
  if (range.ofOutputs)
    return field.of === "model" ? value : sql`CASE WHEN ${alias}.is_output THEN ${value} END`;
  const isElsewhere = field.of === "model" ? EMPTY : sql` OR NOT ${alias}.is_output`;
  return sql`CASE WHEN ${whole} IS NULL${isElsewhere} THEN ${stored} ELSE ${value} END`;
}

function storedValue(alias: Sql, { of, pointer }: FieldSource & { kind: "output" }): Sql {
  return of === "model"
    ? modelOutputAt(sql`${alias}.output`, pointer)
    : jsonAt(sql`${alias}.output`, pointer);
}

/** A value inside the own scores of a trial, else inside its late scores if children are included. */
export function scoreValue(plan: Pick<Plan, "includeChildren">, alias: Sql, pointer: string): Sql {
  const output = sql`${alias}.output`;
  const own = sql`CASE WHEN ${hasScores(output)}
    THEN ${jsonAt(output, `/scores${pointer}`)} END`;
  return plan.includeChildren
    ? sql`coalesce(${own}, ${jsonAt(sql`${alias}.late_scores`, pointer)})`
    : sql`(${own})`;
}

/** The trials as a FROM item; of a range of long texts those that have them. */
export function trialsOf({ range }: Pick<Plan, "range">): Sql {
  return range === null
    ? sql`trials`
    : trialsWith(amongKeys(sql`t.trial_key`, range.trialKeys), range.textKeys);
}

/** Whether the text of a field of a trial is a stub; null where it never is. */
export function isLong(
  { longTexts, range }: Pick<Plan, "longTexts" | "range">,
  alias: Sql,
  field: FieldSource,
): Sql | null {
  if (!longTexts || range !== null || !mayBeLong(field)) return null;
  return field.kind === "output" ? sql`${alias}.text_bytes IS NOT NULL` : isStub(sql`r.document`);
}

/** What long texts say as a FROM item (trial_key, number, text). */
export function longReadings({ trialKeys, numbers, texts }: LongReadings): Sql {
  return readingsOf(`[${trialKeys.join()}]`, JSON.stringify(numbers), JSON.stringify(texts));
}

type DocumentScope = Pick<Plan, "projectKey" | "evaluationKeys" | "mixedRows" | "latestFirst"> &
  Partial<Pick<Plan, "range" | "shortRows">>;

/**
 * The dataset row of each row key, as JSON: the stored value, else the first inline example. Where the project has no
 * mixed rows, that example is a column. Of a row with a key it is what the evaluation that started last has.
 */
export function rowDocuments(plan: DocumentScope): Sql {
  const documents = storedDocuments(plan);
  if (plan.range != null) return documentsWith(documents, plan.range.textKeys);
  if (plan.shortRows == null) return documents;
  const { rowKeys, documents: texts } = plan.shortRows;
  const short = longReadings({ trialKeys: rowKeys, numbers: rowKeys.map(() => null), texts });
  return sql`SELECT d.row_key AS row_key, d.digest AS digest, coalesce(s.text, d.document) AS document
    FROM (${documents}) AS d LEFT JOIN ${short} AS s ON s.trial_key = d.row_key`;
}

function storedDocuments(plan: DocumentScope): Sql {
  if (!plan.mixedRows) {
    return sql`SELECT row_key, digest, ${jsonColumns((x) => sql`coalesce(val${x}, inline_example${x}) AS document${x}`)} FROM rows
      WHERE project_key = ${constant(plan.projectKey)}`;
  }
  const isKeyed = plan.latestFirst.length > 0;
  const contents = isKeyed ? sql` LEFT JOIN rows AS c ON c.row_key = t.content_key` : EMPTY;
  const isInline = sql`t.reference_prefix IS NULL`;
  const spelled = (x: Sql) =>
    isKeyed
      ? sql`CASE WHEN ${isInline} THEN coalesce(t.example${x}, m.inline_example${x}) ELSE c.val${x} END`
      : sql`coalesce(t.example${x}, m.inline_example${x})`;
  return sql`SELECT r.row_key, r.digest,
    ${jsonColumns((x) => sql`coalesce(r.val${x}, CASE WHEN r.respelled OR r.referenced THEN f.example${x} ELSE r.inline_example${x} END) AS document${x}`)}
    FROM rows AS r LEFT JOIN (
      SELECT ${named(sql`t.row_key`, sql`row_key`)}, ${jsonColumns((x) => sql`${firstBy(spelled(x), rowOrder(plan, sql`t`))} AS example${x}`)}
      FROM trials AS t JOIN rows AS m ON m.row_key = t.row_key AND (m.respelled OR m.referenced)${contents}
      WHERE ${isKeyed ? sql`(${isInline} OR c.val IS NOT NULL)` : isInline} AND ${inKeys(sql`t.evaluation_key`, plan.evaluationKeys)}
      GROUP BY t.row_key) AS f ON f.row_key = r.row_key
    WHERE r.project_key = ${constant(plan.projectKey)}`;
}

/** The distinct row keys of a relation. DuckDB groups by array, which it does not for `DISTINCT`. */
export function distinctRows(column: Sql, from: Sql): Sql {
  return sql`SELECT ${named(column, sql`row_key`)} FROM ${from} GROUP BY ${column}`;
}

/** Rows with a trial in each (`intersection`) or in any of the requested evaluations. */
export function presentRows(plan: Plan, intersection: boolean): Sql {
  const scope = inKeys(sql`evaluation_key`, plan.evaluationKeys);
  if (!intersection) return distinctRows(sql`row_key`, sql`trials WHERE ${scope}`);
  if (plan.evaluationKeys.length < plan.requestedCount) return sql`SELECT row_key FROM trials WHERE false`;
  const count = constant(plan.requestedCount);
  return sql`SELECT row_key FROM trials WHERE ${scope}
    GROUP BY row_key HAVING ${countEvaluations(plan.evaluationKeys, sql`evaluation_key`)} = ${count}`;
}
