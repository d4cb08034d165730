import { column, nullable, query, select } from "../../store/query.ts";
import { constant, EMPTY, join, sql, type Sql } from "../../store/sql.ts";
import type { FieldSource, LongReadings, Plan, SortPlan, TextField } from "../../plan/plan.ts";
import { exactMean, exactMethod } from "../sums/exact-mean.ts";
import { jsonReading } from "../filter/operand.ts";
import {
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
import { scoreValues } from "../scores/score-records.ts";
import { amongKeys, countEvaluations, firstBy, jsonAt, NO_ROW_KEY, recordsOf } from "../relations/spelled.ts";

/** A relation (row_key, number, text) with the values by which one sort key orders the rows. */
export function sortKeyRelation(plan: Plan, sort: SortPlan): Sql {
  const { field } = sort;
  switch (field.kind) {
    case "leaf":
      return leafKeys(plan, sort, field);
    case "score":
      return scoreKeys(plan, sort, field.pointer);
    case "output":
      return outputKeys(plan, sort, field);
    case "input":
      return inputKeys(plan, sort, field.pointer);
    case "stop_reason":
      return sql`SELECT row_key, NULL::DOUBLE AS number,
      ${firstBy(sql`stop_reason`, trialOrder(plan, sql`t`), sql`stop_reason IS NOT NULL`)} AS text
      FROM trials AS t WHERE ${inKeys(sql`t.evaluation_key`, sort.evaluationKeys)} GROUP BY row_key`;
    case "digest":
    case "error":
    case "missing":
      return sql`SELECT ${NO_ROW_KEY} AS row_key, NULL::DOUBLE AS number, NULL::VARCHAR AS text WHERE false`;
  }
}

/** Means over score records, or the difference between the largest and smallest mean of an evaluation. */
function leafKeys(plan: Plan, sort: SortPlan, field: FieldSource & { kind: "leaf" }): Sql {
  const mean = exactMean(sql`number`, exactMethod(field.exponents));
  const from = sql`${scoreValues(plan, null, [field.pathKey])} WHERE path_key = ${constant(field.pathKey)}
    AND ${inKeys(sql`evaluation_key`, sort.evaluationKeys)}${scoreScope(plan, sql`scores`)}`;
  if (sort.mode === "difference" && sort.repeated) return differencesApart(sort, mean, from);
  return meansOrDifferences(sort, mean, from);
}

/** Computes means per evaluation only for rows where some evaluation has several trials; such rows are mostly few. */
function differencesApart(sort: SortPlan, mean: Sql, from: Sql): Sql {
  const numbers = sql`SELECT row_key, evaluation_key, number FROM ${from} AND number IS NOT NULL`;
  const evaluations = countEvaluations(sort.evaluationKeys, sql`evaluation_key`);
  const repeated = sql`(${numbers}) SEMI JOIN ${recordsOf(sql`FROM apart WHERE trials <> evaluations`)} USING (row_key)`;
  return sql`WITH apart AS MATERIALIZED (SELECT row_key, count(*) AS trials, ${evaluations} AS evaluations,
      max(number) - min(number) AS difference FROM (${numbers}) GROUP BY row_key)
    SELECT row_key, CASE WHEN trials >= 2 THEN difference END AS number, NULL::VARCHAR AS text
      FROM apart WHERE trials = evaluations
    UNION ALL ${meansOrDifferences(sort, mean, repeated)}`;
}

function scoreKeys(plan: Plan, sort: SortPlan, pointer: string): Sql {
  const number = jsonReading(scoreValue(plan, sql`t`, pointer), (value) => value.number);
  const from = sql`(SELECT t.row_key, t.evaluation_key, ${number} AS number FROM trials AS t
    WHERE ${inKeys(sql`t.evaluation_key`, sort.evaluationKeys)})`;
  return meansOrDifferences(sort, exactMean(sql`number`, { kind: "digits" }), from);
}

function meansOrDifferences(sort: SortPlan, mean: Sql, from: Sql): Sql {
  if (sort.mode === "value") {
    return sql`SELECT row_key, ${mean} AS number, NULL::VARCHAR AS text FROM ${from} GROUP BY row_key`;
  }
  if (!sort.repeated) {
    return sql`SELECT row_key, CASE WHEN count(number) >= 2 THEN max(number) - min(number) END AS number,
      NULL::VARCHAR AS text FROM ${from} GROUP BY row_key`;
  }
  return sql`SELECT row_key, CASE WHEN count(mean) >= 2 THEN max(mean) - min(mean) END AS number, NULL::VARCHAR AS text
    FROM (SELECT row_key, evaluation_key, ${mean} AS mean FROM ${from} GROUP BY row_key, evaluation_key) GROUP BY row_key`;
}

function readBoth(value: Sql): { number: Sql; text: Sql } {
  return {
    number: jsonReading(value, (operand) => operand.number),
    text: jsonReading(value, (operand) => operand.text),
  };
}

/** The mean of the numbers of a row, else the text of the first trial that has one. */
function outputKeys(plan: Plan, sort: SortPlan, field: FieldSource & { kind: "output" }): Sql {
  const { value, joined } = withLong(plan, field, sort.long, readBoth(outputValue(sql`t`, field)));
  return sql`SELECT row_key, ${exactMean(sql`number`, { kind: "digits" })} AS number,
    CASE WHEN count(number) = 0 THEN ${firstBy(sql`text`, trialOrder(plan, sql`v`), sql`text IS NOT NULL`)} END AS text
    FROM (SELECT t.row_key, t.evaluation_key, t.started_at, t.id, ${value.number} AS number, ${value.text} AS text
      FROM trials AS t${joined} WHERE ${inKeys(sql`t.evaluation_key`, sort.evaluationKeys)}) AS v GROUP BY row_key`;
}

/** The readings of a field of `t`, those of long texts as they were found. */
function withLong(
  plan: Plan,
  field: FieldSource,
  found: LongReadings | undefined,
  short: { readonly number: Sql; readonly text: Sql },
): { readonly value: typeof short; readonly joined: Sql } {
  const long = isLong(plan, sql`t`, field);
  if (long === null || found === undefined) return { value: short, joined: EMPTY };
  const either = (name: Sql, other: Sql) => sql`CASE WHEN ${long} THEN n.${name} ELSE ${other} END`;
  return {
    value: { number: either(sql`number`, short.number), text: either(sql`text`, short.text) },
    joined: sql` LEFT JOIN ${longReadings(found)} AS n ON n.trial_key = t.trial_key`,
  };
}

/** How long texts begin, in code points, and where parts end in bytes, each twice as far as the one before. */
export const BEGINS = 4097;
const PARTS = Array.from({ length: 16 }, (_, i) => 8192 * 2 ** i);

/** What long texts of the range of a plan say in a field: numbers, else texts as they begin and hashes of parts. */
export function compileLongReadings(plan: Plan, field: TextField) {
  const hashes = hashesOf([0, ...PARTS]);
  const readings = select(
    {
      trialKey: column.key(sql`trial_key`),
      rowKey: column.key(sql`row_key`),
      number: nullable(column.double(sql`number`)),
      begins: nullable(column.text(sql`left(text, ${constant(BEGINS)})`)),
      isLonger: column.boolean(sql`coalesce(length(text) > ${constant(BEGINS)}, false)`),
      hashes: column.text(hashes),
    },
    sql` FROM (${longValues(plan, field)})`,
  );
  return query("readings of long texts", readings);
}

/** The documents of the rows of the range of a plan, whole. */
export function compileLongDocuments(plan: Plan) {
  const keys = amongKeys(sql`trial_key`, plan.range?.trialKeys ?? []);
  const documents = select(
    { key: column.key(sql`row_key`), document: column.text(sql`document`) },
    sql` FROM (${rowDocuments(plan)}) WHERE row_key IN (SELECT row_key FROM trials WHERE ${keys})`,
  );
  return query("long documents", documents);
}

/** Hashes of so many parts between two bytes of each long text of the range. */
export function compileLongHashes(plan: Plan, field: TextField, [from, to]: ByteRange, parts: number) {
  const width = (to - from) / parts;
  const ends = Array.from({ length: parts + 1 }, (_, i) => Math.ceil(from + i * width));
  const hashes = select(
    { trialKey: column.key(sql`trial_key`), hashes: column.text(hashesOf(ends)) },
    sql` FROM (${longValues(plan, field)})`,
  );
  return query("hashes of long texts", hashes);
}

/** What each long text of the range says between two bytes, in base64. */
export function compileLongParts(plan: Plan, field: TextField, range: ByteRange) {
  const part = sql`to_base64(${bytesOf(range)})`;
  const parts = select(
    { trialKey: column.key(sql`trial_key`), part: nullable(column.text(part)) },
    sql` FROM (${longValues(plan, field)})`,
  );
  return query("parts of long texts", parts);
}

export type ByteRange = readonly [from: number, to: number];

/** Where the hash of a part that the readings give begins and ends. */
export function partOfReading(place: number): ByteRange {
  return [PARTS[place - 1] ?? 0, PARTS[place] ?? 0];
}

/** (trial_key, row_key, number, text): a field in the long texts of the range. */
function longValues(plan: Plan, field: TextField): Sql {
  const document =
    field.kind === "output" ? outputValue(sql`t`, field, plan.range) : jsonAt(sql`r.document`, field.pointer);
  const value = sql`value`;
  // An object or a list is its own text, and no number.
  const isPlain = sql`NOT (starts_with(${value}, '{') OR starts_with(${value}, '['))`;
  const { number, text } = readBoth(value);
  const rows =
    field.kind === "output" ? EMPTY : sql` JOIN (${rowDocuments(plan)}) AS r ON r.row_key = t.row_key`;
  const values = sql`SELECT t.trial_key, t.row_key, ${document} AS value FROM ${trialsOf(plan)} AS t${rows}
      WHERE ${amongKeys(sql`t.trial_key`, plan.range?.trialKeys ?? [])}`;
  return sql`SELECT trial_key, row_key, CASE WHEN ${isPlain} THEN ${number} END AS number,
      CASE WHEN ${isPlain} THEN ${text} ELSE CAST(${value} AS VARCHAR) END AS text FROM (${values})`;
}

function bytesOf([from, to]: ByteRange): Sql {
  return sql`encode(text)[${constant(from + 1)}:${constant(to)}]`;
}

function hashesOf(ends: readonly number[]): Sql {
  const hashes = ends
    .slice(1)
    .map((to, i) => sql`coalesce(hash(nullif(${bytesOf([ends[i] ?? 0, to])}, ''::BLOB)), 0)`);
  return sql`concat_ws(',', ${join(hashes)})`;
}

function inputKeys(plan: Plan, sort: SortPlan, pointer: string): Sql {
  const value = readBoth(jsonAt(sql`r.document`, pointer));
  const long = isLong(plan, sql`t`, sort.field);
  const found = long === null ? undefined : sort.long;
  const either = (name: Sql, other: Sql) =>
    long === null || found === undefined ? other : sql`CASE WHEN ${long} THEN n.${name} ELSE ${other} END`;
  const joined =
    found === undefined ? EMPTY : sql` LEFT JOIN ${longReadings(found)} AS n ON n.trial_key = r.row_key`;
  const inNamed = sort.named
    ? sql` WHERE r.row_key IN (SELECT row_key FROM trials WHERE ${inKeys(sql`evaluation_key`, sort.evaluationKeys)})`
    : sql``;
  return sql`SELECT row_key, number, CASE WHEN number IS NULL THEN text END AS text FROM (
    SELECT r.row_key, ${either(sql`number`, value.number)} AS number, ${either(sql`text`, value.text)} AS text
      FROM (${rowDocuments(plan)}) AS r${joined}${inNamed})`;
}

/** `FROM` with a `WHERE`: (row_key, evaluation_key, number) of the trials. Null where no trial has the field. */
export function numbersOf(plan: Plan, field: FieldSource): Sql | null {
  const json = (value: Sql) => {
    const short = { number: jsonReading(value, ({ number }) => number), text: EMPTY };
    const found = withLong(plan, field, plan.longNumbers[JSON.stringify(field)], short);
    return sql`(SELECT t.row_key, t.evaluation_key, ${found.value.number} AS number
    FROM trials AS t${found.joined} WHERE ${inKeys(sql`t.evaluation_key`, plan.evaluationKeys)}) WHERE true`;
  };
  switch (field.kind) {
    case "leaf":
      return sql`${scoreValues(plan, null, [field.pathKey])} WHERE path_key = ${constant(field.pathKey)}
    AND ${inKeys(sql`evaluation_key`, plan.evaluationKeys)}${scoreScope(plan, sql`scores`)}`;
    case "score":
      return json(scoreValue(plan, sql`t`, field.pointer));
    case "output":
      return json(outputValue(sql`t`, field));
    case "input":
    case "digest":
    case "error":
    case "stop_reason":
    case "missing":
      return null;
  }
}
