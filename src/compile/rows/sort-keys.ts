import { constant, sql, type Sql } from "../../store/sql.ts";
import type { FieldSource, Plan, SortPlan } from "../../plan/plan.ts";
import { exactMean, exactMethod } from "../sums/exact-mean.ts";
import { jsonReading } from "../filter/operand.ts";
import {
  inKeys,
  outputValue,
  rowDocuments,
  scoreScope,
  scoreValue,
  trialOrder,
} from "../relations/relations.ts";
import { scoreValues } from "../scores/score-records.ts";
import { countEvaluations, firstBy, jsonAt, NO_ROW_KEY, recordsOf } from "../relations/spelled.ts";

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
  const value = readBoth(outputValue(sql`t`, field));
  return sql`SELECT row_key, ${exactMean(sql`number`, { kind: "digits" })} AS number,
    CASE WHEN count(number) = 0 THEN ${firstBy(sql`text`, trialOrder(plan, sql`v`), sql`text IS NOT NULL`)} END AS text
    FROM (SELECT t.row_key, t.evaluation_key, t.started_at, t.id, ${value.number} AS number, ${value.text} AS text
      FROM trials AS t WHERE ${inKeys(sql`t.evaluation_key`, sort.evaluationKeys)}) AS v GROUP BY row_key`;
}

function inputKeys(plan: Plan, sort: SortPlan, pointer: string): Sql {
  const value = readBoth(jsonAt(sql`r.document`, pointer));
  const inNamed = sort.named
    ? sql` WHERE r.row_key IN (SELECT row_key FROM trials WHERE ${inKeys(sql`evaluation_key`, sort.evaluationKeys)})`
    : sql``;
  return sql`SELECT row_key, number, CASE WHEN number IS NULL THEN text END AS text FROM (
    SELECT r.row_key, ${value.number} AS number, ${value.text} AS text FROM (${rowDocuments(plan)}) AS r${inNamed})`;
}

/** `FROM` with a `WHERE`: (row_key, evaluation_key, number) of the trials. Null where no trial has the field. */
export function numbersOf(plan: Plan, field: FieldSource): Sql | null {
  const json = (
    value: Sql,
  ) => sql`(SELECT t.row_key, t.evaluation_key, ${jsonReading(value, ({ number }) => number)} AS number
    FROM trials AS t WHERE ${inKeys(sql`t.evaluation_key`, plan.evaluationKeys)}) WHERE true`;
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
    case "missing":
      return null;
  }
}
