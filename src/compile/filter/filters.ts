import { constant, EMPTY, identifier, join, sql, text, type Sql } from "../../store/sql.ts";
import type { FieldSource, FilterPlan, Plan } from "../../plan/plan.ts";
import type { Key } from "../../model/digest.ts";
import { fieldsOf, mapFields, type Expression, type Operation } from "../../request/expression.ts";
import { exactMean, exactMethod } from "../sums/exact-mean.ts";
import { compileCondition } from "./condition.ts";
import {
  jsonOperand,
  jsonReading,
  leafOperand,
  MISSING,
  numberOperand,
  textOperand,
  type Operand,
} from "./operand.ts";
import {
  distinctRows,
  inKeys,
  isLong,
  longReadings,
  outputValue,
  rowDocuments,
  scoreScope,
  scoreValue,
  trialOrder,
  trialsOf,
} from "../relations/relations.ts";
import { groupedErrors } from "../relations/failures.ts";
import { scoreValues } from "../scores/score-records.ts";
import { readOnce } from "./read-once.ts";
import { type NeededTruth, OPERATORS, type RequiredText } from "./operators.ts";
import { amongKeys, firstBy, every, holds, jsonAt, named } from "../relations/spelled.ts";
import type { Operator } from "../../request/operators.ts";

/** The keys of the rows that the filters keep; null without filters. */
export function keptRows(plan: Plan): Sql | null {
  if (plan.filterGroups.length === 0) return null;
  const groups = plan.filterGroups.map((group) =>
    join(
      group.map((filter) => sql`(${rowsKeptBy(plan, filter)})`),
      sql` INTERSECT `,
    ),
  );
  return groups.length === 1
    ? (groups[0] ?? EMPTY)
    : join(
        groups.map((group) => sql`(${group})`),
        sql` UNION `,
      );
}

/** A source of the fields of a filter: a FROM clause, and how each field is read from it. */
interface Source {
  readonly from: Sql;
  readonly operand: (field: FieldSource) => Operand;
  /** The field inside its JSON document; null where it is not in a document. */
  readonly json: (field: FieldSource) => Sql | null;
  /** The alias that has `row_key`. */
  readonly rowAlias: Sql;
}

/**
 * A condition on a score; `key` is that of its record, never null. DuckDB tests a condition on one column while it
 * reads the column, perhaps before the one on the dimension, and one on two columns after both.
 */
function testedLast(condition: Sql, key: Sql | null): Sql {
  return key === null ? sql`(${condition})` : sql`(${condition} OR ${key} IS NULL)`;
}

function rowsKeptBy(plan: Plan, filter: FilterPlan): Sql {
  if (filter.evaluationKeys === null) return sql`SELECT row_key FROM trials WHERE false`;
  const keys = filter.evaluationKeys;
  const expression = withSharedFields(filter.condition);
  if (filter.quantifier === "mean") return rowsKeptByMeans(plan, keys, expression);
  const driver = filter.quantifier === "any" ? drivingLeaf(expression) : null;
  const source = trialSource(plan, keys, fieldsOf(expression), driver);
  const short = readOnce(expression, fieldsOf(expression), source.operand, source.json);
  const long = anyLong(plan, fieldsOf(expression));
  const among = amongTrials(sql`${source.rowAlias}.trial_key`, filter.longTrue ?? []);
  const condition = long === null ? short : sql`CASE WHEN ${long} THEN ${among} ELSE ${short} END`;
  const texts = join(
    requiredTexts(expression).map((one) => searched(one, long, null)),
    EMPTY,
  );
  const key = sql`${source.rowAlias}.row_key`;
  switch (filter.quantifier) {
    case "any":
      return distinctRows(
        key,
        sql`${source.from}${texts} AND ${testedLast(condition, driver === null ? null : key)}`,
      );
    case "all":
      return sql`SELECT ${named(key, sql`row_key`)} FROM ${source.from} GROUP BY ${key} HAVING ${every(sql`coalesce(${condition}, false)`)}`;
    case "first":
      return sql`SELECT ${named(key, sql`row_key`)} FROM ${source.from} GROUP BY ${key}
        HAVING ${firstBy(sql`coalesce(${condition}, false)`, trialOrder(plan, sql`t`))}`;
  }
}

/** A plain text search, so that JSON that cannot match is not parsed. */
export function searched(
  { field, spellings, caseInsensitive }: RequiredText,
  long: Sql | null,
  range: Plan["range"],
): Sql {
  const output =
    range === null
      ? sql`t.output`
      : range.ofOutputs
        ? sql`t.model_text`
        : sql`coalesce(t.model_text, t.output)`;
  const document = field.kind === "output" ? output : sql`r.document`;
  const tests = spellings.map((spelling) =>
    caseInsensitive ? sql`contains(lower(${document}), lower(${text(spelling)}))` : holds(document, spelling),
  );
  return sql` AND (${join(long === null ? tests : [long, ...tests], sql` OR `)})`;
}

/** Whether a field of a trial `t` or of its row `r` is a long text; null where none can be. */
export function anyLong(plan: Plan, fields: Iterable<FieldSource>): Sql | null {
  const tests = [...fields].flatMap((field) => isLong(plan, sql`t`, field) ?? []);
  return tests.length === 0 ? null : sql`(${join(tests, sql` OR `)})`;
}

export function amongTrials(column: Sql, keys: readonly Key[]): Sql {
  return keys.length === 0 ? sql`false` : amongKeys(column, keys);
}

/** Replaces equal fields by one object, so that each field is read once. */
export function withSharedFields(expression: Expression<FieldSource>): Expression<FieldSource> {
  const seen = new Map<string, FieldSource>();
  return mapFields(expression, (one) => {
    const name = JSON.stringify(one);
    const field = seen.get(name) ?? one;
    seen.set(name, field);
    return field;
  });
}

/** A dimension without which no trial makes the expression true: its records can be scanned instead of trials. */
function drivingLeaf(expression: Expression<FieldSource>): (FieldSource & { kind: "leaf" }) | null {
  for (const field of requiredFields(expression)) if (field.kind === "leaf") return field;
  return null;
}

/** `FROM … WHERE …` over the trials of some evaluations, joined with the relations that the fields need. */
export function trialSource(
  plan: Plan,
  keys: readonly number[],
  fields: ReadonlySet<FieldSource>,
  driver: (FieldSource & { kind: "leaf" }) | null,
): Source {
  const list = [...fields];
  const leaves = list.filter((field) => field.kind === "leaf");
  const aliases = new Map<FieldSource, Sql>(leaves.map((field, i) => [field, identifier(`s${i}`)]));
  const base = driver === null ? sql`t` : (aliases.get(driver) ?? sql`t`);
  const needsTrial = driver === null || list.some(({ kind }) => OF_TRIALS.has(kind));
  const joins = leaves
    .filter((field) => field !== driver)
    .map((field) => leafJoin(plan, keys, field, aliases.get(field) ?? EMPTY, base));
  if (driver !== null && needsTrial) joins.unshift(sql` JOIN trials AS t ON t.trial_key = ${base}.trial_key`);
  if (list.some((field) => field.kind === "input" || field.kind === "digest")) {
    joins.push(sql` JOIN (${rowDocuments(plan)}) AS r ON r.row_key = ${base}.row_key`);
  }
  if (list.some((field) => field.kind === "error"))
    joins.push(sql` LEFT JOIN (${groupedErrors(plan, keys)}) AS f ON f.trial_key = ${base}.trial_key`);
  const first = driver === null ? sql`${trialsOf(plan)} AS t` : scoreValues(plan, base, [driver.pathKey]);
  const own =
    driver === null
      ? EMPTY
      : sql` AND ${base}.path_key = ${constant(driver.pathKey)}${scoreScope(plan, base)}`;
  return {
    from: sql`${first}${join(joins, EMPTY)} WHERE ${inKeys(sql`${base}.evaluation_key`, keys)}${own}`,
    operand: (field) => fieldOperand(plan, field, aliases),
    json: (field) => jsonValue(plan, field),
    rowAlias: base,
  };
}

function leafJoin(
  plan: Plan,
  keys: readonly number[],
  field: FieldSource & { kind: "leaf" },
  alias: Sql,
  base: Sql,
): Sql {
  return sql` LEFT JOIN (SELECT trial_key, kind, number, text FROM ${scoreValues(plan, null, [field.pathKey])}
    WHERE path_key = ${constant(field.pathKey)} AND ${inKeys(sql`evaluation_key`, keys)}${scoreScope(plan, sql`scores`)}) AS ${alias}
    ON ${alias}.trial_key = ${base}.trial_key`;
}

const OF_TRIALS: ReadonlySet<FieldSource["kind"]> = new Set(["output", "score", "stop_reason"]);
const TEXTS = { digest: sql`r.digest`, error: sql`f.error`, stop_reason: sql`t.stop_reason` };

function fieldOperand(plan: Plan, field: FieldSource, aliases: ReadonlyMap<FieldSource, Sql>): Operand {
  switch (field.kind) {
    case "leaf":
      return leafOperand(aliases.get(field) ?? EMPTY);
    case "score":
    case "output":
    case "input":
      return jsonOperand(jsonValue(plan, field) ?? EMPTY);
    case "digest":
    case "error":
    case "stop_reason":
      return textOperand(TEXTS[field.kind]);
    case "missing":
      return MISSING;
  }
}

function jsonValue(plan: Plan, field: FieldSource): Sql | null {
  if (field.kind === "score") return scoreValue(plan, sql`t`, field.pointer);
  if (field.kind === "output") return outputValue(sql`t`, field, plan.range);
  return field.kind === "input" ? jsonAt(sql`r.document`, field.pointer) : null;
}

/** The number that the long text of a trial has in a field. */
function longNumber({ longNumbers }: Plan, field: FieldSource): Sql {
  const found = longNumbers[JSON.stringify(field)];
  if (found === undefined) return sql`NULL::DOUBLE`;
  return sql`(SELECT any_value(n.number) FROM ${longReadings(found)} AS n WHERE n.trial_key = t.trial_key)`;
}

/** Quantifier `mean`: each field is its mean over those trials of the row that have a number. */
function rowsKeptByMeans(plan: Plan, keys: readonly number[], expression: Expression<FieldSource>): Sql {
  const fields = [...fieldsOf(expression)];
  const source = trialSource(plan, keys, new Set(fields), null);
  const names = new Map(fields.map((field, i) => [field, identifier(`m${i}`)]));
  const columns = fields.map((field) => {
    const name = names.get(field) ?? EMPTY;
    const value = source.json(field);
    const short =
      value === null ? source.operand(field).number : jsonReading(value, (operand) => operand.number);
    const long = isLong(plan, sql`t`, field);
    const number =
      long === null ? short : sql`CASE WHEN ${long} THEN ${longNumber(plan, field)} ELSE ${short} END`;
    const mean = exactMean(name, field.kind === "leaf" ? exactMethod(field.exponents) : { kind: "digits" });
    return { number: sql`, ${number} AS ${name}`, mean: sql`, ${mean} AS ${name}` };
  });
  const numbers = join(
    columns.map(({ number }) => number),
    EMPTY,
  );
  const means = join(
    columns.map(({ mean }) => mean),
    EMPTY,
  );
  const condition = compileCondition(expression, (field) =>
    numberOperand(sql`m.${names.get(field) ?? EMPTY}`),
  );
  return sql`SELECT m.row_key FROM (SELECT row_key${means} FROM (SELECT ${named(sql`t.row_key`, sql`row_key`)}${numbers} FROM ${source.from})
    GROUP BY row_key) AS m WHERE ${condition}`;
}

/**
 * Texts with which a plain search can rule out a document before its JSON is parsed. Stored documents are compact JSON
 * in one spelling, so a text occurs in them escaped (inside a string) or unchanged (in the compact JSON of an object or
 * list).
 */
export function requiredTexts(expression: Expression<FieldSource>): RequiredText[] {
  const { kind } = expression;
  return kind === "literal" || kind === "field" || kind === "convert" ? [] : requiredBy(expression);
}

function requiredBy<Name extends Operator>(one: Operation<FieldSource, Name>): RequiredText[] {
  return OPERATORS[one.kind].texts(one, requiredTexts);
}

/**
 * The fields that must have a value for an expression to be true: records that lack one need not be read. Fields are
 * distinguished by object identity.
 */
function requiredFields<Field>(expression: Expression<Field>): ReadonlySet<Field> {
  return needed(expression, "true");
}

/** The fields that must have a value for the expression to be true, or to be true or false. */
function needed<Field>(expression: Expression<Field>, to: NeededTruth): ReadonlySet<Field> {
  if (expression.kind === "literal") return new Set();
  if (expression.kind === "field") return new Set([expression.field]);
  if (expression.kind !== "convert") return neededBy(expression, to);
  if (expression.to === "exists" && to === "known") return new Set();
  return needed(expression.operands[0], "known");
}

function neededBy<Name extends Operator, Field>(
  one: Operation<Field, Name>,
  to: NeededTruth,
): ReadonlySet<Field> {
  return OPERATORS[one.kind].fields(one, needed, to);
}
