import { column, query, select } from "../../store/query.ts";
import { constant, EMPTY, join, sql, type Sql, text } from "../../store/sql.ts";
import type { Exponents, FieldSource, MovePlan, Plan } from "../../plan/plan.ts";
import { keptRows } from "../filter/filters.ts";
import { inKeys, presentRows, rowDocuments, trialsOf } from "../relations/relations.ts";
import {
  amongKeys,
  countEvaluations,
  divideIntegers,
  filtered,
  isStub,
  matches,
  MODEL_OUTPUT,
  NO_ROW_KEY,
  roundToInteger,
  SELECTED,
  wide,
  wideSum,
} from "../relations/spelled.ts";
import { exactMean } from "../sums/exact-mean.ts";
import { MAX_SHIFT, WORD_BITS } from "../sums/words.ts";
import { numbersOf } from "./sort-keys.ts";

/**
 * The distinct rows of a request: those that the filters keep, that moved, that lack a value and that hold a text where
 * this is asked, which test only requested evaluations, and with `intersection` only those with a trial in every
 * evaluation.
 */
export function selectedRows(plan: Plan, intersection: boolean): Sql {
  const kept = restrictedRows(plan);
  if (kept === null) return presentRows(plan, intersection);
  if (!intersection) return kept;
  return sql`SELECT row_key FROM (${presentRows(plan, true)}) SEMI JOIN (${kept}) AS kept USING (row_key)`;
}

/** Whether a row may be left out for its values. */
export function isFiltered({ filterGroups, moved, missing, search }: Plan): boolean {
  return filterGroups.length > 0 || moved !== null || missing !== null || search !== null;
}

/** The rows that every condition on values keeps; null without any. */
function restrictedRows(plan: Plan): Sql | null {
  const conditions = [
    plan.moved === null ? null : movedRows(plan, plan.moved),
    plan.missing === null ? null : missingRows(plan, plan.missing),
    plan.search === null ? null : searchedRows(plan, plan.search),
    keptRows(plan),
  ].filter((rows) => rows !== null);
  const [first, ...others] = conditions;
  return others.reduce<Sql | null>(
    (all, rows) => sql`SELECT row_key FROM (${all ?? EMPTY}) SEMI JOIN (${rows}) AS kept USING (row_key)`,
    first ?? null,
  );
}

/** Restricts a statement over all trials of the requested evaluations to the selected rows. */
export interface Narrowing {
  /** The table `selected` for the WITH clause; empty where every row is selected. */
  readonly tables: readonly Sql[];
  /** An inner join; it repeats no record because `selected` has each row once. A semi join would be by hash. */
  readonly selectedJoin: Sql;
  /** The same with the edited rows that it leaves out; absent where it leaves out none. */
  readonly whole?: Narrowing;
}

export function narrowing(plan: Plan, intersection: boolean): Narrowing {
  if (!intersection && !isFiltered(plan)) return { tables: [], selectedJoin: EMPTY };
  return {
    tables: [sql`selected AS MATERIALIZED (${selectedRows(plan, intersection)})`],
    selectedJoin: sql` JOIN ${SELECTED} AS selected USING (row_key)`,
  };
}

/** A WITH clause, or nothing without tables. */
export function withTables(tables: readonly Sql[]): Sql {
  return tables.length === 0 ? EMPTY : sql`WITH ${join(tables)} `;
}

/** (row_key): the rows on which a requested evaluation has no number in a field, whether it ran them or not. */
function missingRows(plan: Plan, field: FieldSource): Sql {
  const all = presentRows(plan, false);
  const numbers = numbersOf(plan, field);
  if (numbers === null || plan.evaluationKeys.length < plan.requestedCount) return all;
  const valued = countEvaluations(plan.evaluationKeys, sql`evaluation_key`);
  return sql`SELECT row_key FROM (${all}) ANTI JOIN (SELECT row_key FROM ${numbers} AND number IS NOT NULL
    GROUP BY row_key HAVING ${valued} = ${constant(plan.requestedCount)}) AS valued USING (row_key)`;
}

/** (row_key): the rows whose input, or a model output of a requested evaluation, holds a text, letter case ignored. */
function searchedRows(plan: Plan, search: string): Sql {
  const holds = holdsText(search);
  const { longTexts, longFound } = plan;
  const shortOutput = longTexts ? sql` AND t.text_bytes IS NULL` : EMPTY;
  const shortDocument = longTexts ? sql` AND NOT ${isStub(sql`r.document`)}` : EMPTY;
  const long =
    longFound.length === 0
      ? EMPTY
      : sql`
    UNION ALL SELECT row_key FROM rows WHERE ${amongKeys(sql`row_key`, longFound)}`;
  return sql`SELECT row_key FROM (
    SELECT t.row_key FROM trials AS t WHERE ${inKeys(sql`t.evaluation_key`, plan.evaluationKeys)}${shortOutput} AND ${holds(sql`t.output`, MODEL_OUTPUT)}
    UNION ALL SELECT r.row_key FROM (${rowDocuments(plan)}) AS r SEMI JOIN (${presentRows(plan, false)}) AS tried USING (row_key)
      WHERE ${holds(sql`r.document`, sql`r.document`)}${shortDocument}${long})
    GROUP BY row_key`;
}

/** (row_key): the rows of the range of a plan of which an output, or the input, holds a text. */
export function compileLongSearch(plan: Plan, search: string) {
  const { trialKeys, ofOutputs } = plan.range ?? { trialKeys: [], ofOutputs: false };
  const value = ofOutputs ? sql`t.model_text` : sql`r.document`;
  const rows = ofOutputs ? EMPTY : sql` JOIN (${rowDocuments(plan)}) AS r ON r.row_key = t.row_key`;
  const found = select(
    { key: column.key(sql`t.row_key`) },
    sql` FROM ${trialsOf(plan)} AS t${rows}
    WHERE ${amongKeys(sql`t.trial_key`, trialKeys)} AND ${holdsText(search)(value, value)}`,
  );
  return query("search of long texts", found);
}

/** Whether a value inside a document, which has its JSON, holds a text. */
function holdsText(search: string): (document: Sql, value: Sql) => Sql {
  const escaped = JSON.stringify(search).slice(1, -1);
  const pattern = patternOf(escaped);
  // A plain search rules out a document without the text, and no JSON is made of it: 1.1 s of processor time instead of
  // 2.3 for a million trials.
  return (document, value) => sql`contains(lower(${document}), lower(${text(escaped)}))
    AND ${matches(sql`lower(${value})`, sql`lower(${text(pattern)})`, false)}`;
}

// Both the patterns and the JSON that they are matched with are in lower case.
const CHARACTERS = String.raw`(?:[^"\\]|\\[^u]|\\u[0-9a-f]{4})*`;
const BEFORE = `^(?:[^"n]|null|"${CHARACTERS}")*?`;

/**
 * Matches compact JSON with a text, given as JSON escapes it, inside a string that is no name of a member, or inside a
 * number, true or false. It reads the JSON from its start, string by string and escape by escape: so the n of an
 * escaped line break is no letter, and no string has to be made.
 */
function patternOf(escaped: string): string {
  const exact = escaped.replaceAll(/[\\^$.|?*+()[\]{}]/g, String.raw`\$&`);
  const inString = `${BEFORE}"${CHARACTERS}?${exact}${CHARACTERS}"(?:[^:]|$)`;
  const word = wordPattern(escaped);
  return word === null ? inString : `(?:${inString})|(?:${BEFORE}${word})`;
}

/**
 * Matches a part of a number, of true or of false; null for what is none. Exponents have a sign as they are stored, but
 * no plus where DuckDB has written an output again.
 */
function wordPattern(part: string): string | null {
  if (!/^(?:\+(?!\D))?(?:[-.\da-df-mo-z]|e(?!\d)(?:\+(?!\D))?)*$/i.test(part)) return null;
  return part
    .replaceAll(".", String.raw`\.`)
    .replaceAll(/e?\+(\d?)/gi, (_, digit: string) => String.raw`e\+?${digit || String.raw`\d`}`);
}

const NO_ROW = sql`SELECT ${NO_ROW_KEY} AS row_key WHERE false`;

/** (row_key): the rows whose mean in one evaluation differs from that in the baseline, or in any other. */
function movedRows(plan: Plan, moved: MovePlan): Sql {
  if (!moved.possible || plan.evaluationKeys.length < 2) return NO_ROW;
  const means = rowMeans(plan, moved);
  return means === null
    ? NO_ROW
    : sql`SELECT row_key FROM (${means}) GROUP BY row_key HAVING ${condition(moved)}`;
}

function condition({ baselineKey, direction }: MovePlan): Sql {
  if (baselineKey === null) return sql`min(mean) <> max(mean)`;
  const baseline = constant(baselineKey);
  const own = filtered(sql`min(mean)`, sql`evaluation_key = ${baseline}`);
  const least = sql`${filtered(sql`min(mean)`, sql`evaluation_key <> ${baseline}`)} < ${own}`;
  const most = sql`${filtered(sql`max(mean)`, sql`evaluation_key <> ${baseline}`)} > ${own}`;
  switch (direction) {
    case "up":
      return most;
    case "down":
      return least;
    case "any":
      return sql`${least} OR ${most}`;
  }
}

/** (row_key, evaluation_key, mean), one record for each row and evaluation with a number; null where there is none. */
function rowMeans(plan: Plan, { field, repeated }: MovePlan): Sql | null {
  const numbers = numbersOf(plan, field);
  if (numbers === null) return null;
  if (!repeated)
    return sql`SELECT row_key, evaluation_key, number AS mean FROM ${numbers} AND number IS NOT NULL`;
  const mean = comparableMean(field.kind === "leaf" ? field.exponents : undefined);
  return sql`SELECT row_key, evaluation_key, ${mean} AS mean FROM ${numbers} AND number IS NOT NULL
    GROUP BY row_key, evaluation_key`;
}

/**
 * Means that differ by less than a unit of 2^-{@link FRACTION_BITS} of the lowest bit of all numbers count as equal.
 */
const FRACTION_BITS = 32;

/**
 * A mean that is the same for the same numbers, however many trials have them: a rounded sum divided by different
 * counts is not. Where the numbers fit words, it is their mean as a whole multiple of a small power of two; else, and
 * where `exponents` is undefined because nothing is known of the numbers, it is a double.
 */
function comparableMean(exponents: Exponents | null | undefined): Sql {
  const width =
    exponents === undefined ? Infinity : exponents === null ? 1 : exponents.max - exponents.lowBit + 1;
  const lowBit = exponents?.lowBit ?? 0;
  if (width > WORD_BITS || Math.abs(lowBit) >= MAX_SHIFT)
    return sql`CASE WHEN min(number) = max(number) THEN min(number) ELSE ${exactMean(sql`number`, { kind: "digits" })} END`;
  const words = wide(wideSum(roundToInteger(sql`number * ${constant(2 ** -lowBit)}`)));
  const fine = sql`(${words} * ${constant(2 ** (FRACTION_BITS / 2))} * ${constant(2 ** (FRACTION_BITS / 2))})`;
  return divideIntegers(fine, sql`count(*)`);
}
