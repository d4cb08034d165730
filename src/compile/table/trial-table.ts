import { bigint, constant, EMPTY, identifier, join, sql, text, type Sql } from "../../store/sql.ts";
import { BOOLEAN, NUMBER, TEXT } from "../../model/score-kind.ts";
import { column, query, select, type Query } from "../../store/query.ts";
import type { Plan, RowsPlan } from "../../plan/plan.ts";
import type { DimensionKinds, ScoreColumn, TrialTablePlan } from "../../plan/trial-table.ts";
import { exportColumns, exportRelations, tableColumn, type TableColumn } from "./export-columns.ts";
import { csvLine, isCsv, jsonLine, jsonObject, type LineFormat, type TextColumn } from "./text-lines.ts";
import { placesOfSelected } from "../rows/page-rows.ts";
import { costTables } from "../scores/trial-costs.ts";
import { inKeys, position, rowOrder, scoreScope } from "../relations/relations.ts";
import { scoreValues } from "../scores/score-records.ts";
import { isFiltered, selectedRows } from "../rows/selected-rows.ts";
import {
  firstBy,
  isStub,
  MODEL_OUTPUT,
  named,
  record,
  some,
  textKey,
  textsOf,
  trialsWith,
} from "../relations/spelled.ts";

/** The dimensions that have values in the requested evaluations. */
export function compileDimensionKinds(plan: Plan): Query<DimensionKinds> {
  const kinds = select(
    {
      pathKey: column.integer(sql`v.path_key`),
      numbers: column.boolean(some(sql`v.kind = ${constant(NUMBER)}`)),
      booleans: column.boolean(some(sql`v.kind = ${constant(BOOLEAN)}`)),
    },
    sql` FROM ${scoreValues(plan, sql`v`)}
    WHERE ${inKeys(sql`v.evaluation_key`, plan.evaluationKeys)}${scoreScope(plan, sql`v`)} GROUP BY v.path_key`,
  );
  return query("kinds of dimensions", kinds);
}

/** The columns in order, with the names that users see. */
export function tableColumns(plan: TrialTablePlan): TableColumn[] {
  const own = plan.includeChildren ? EMPTY : sql`own_`;
  const added = exportColumns(plan);
  const predictCall = plan.includeChildren ? sql`t.predict_call_id` : sql`NULL::VARCHAR`;
  return [
    tableColumn("row_digest", "text", sql`page.digest`),
    tableColumn("row_order", "integer", sql`CAST(page.place AS INTEGER)`),
    tableColumn("evaluation_call_id", "text", sql`e.id`),
    ...added.ofEvaluation,
    tableColumn("trial_index", "integer", sql`CAST(k.trial_index AS INTEGER)`),
    tableColumn("predict_and_score_call_id", "text", sql`t.id`),
    tableColumn("predict_call_id", "text", predictCall),
    tableColumn("model_latency_seconds", "double", sql`t.${own}latency_seconds`),
    tableColumn("total_tokens", "double", sql`t.${own}total_tokens`),
    ...(plan.prices === null ? [] : [tableColumn("total_cost", "double", sql`c.cost`)]),
    tableColumn("model_output", "text", MODEL_OUTPUT),
    ...added.ofTrial,
    ...plan.scoreColumns.map(({ name, type }, i) => tableColumn(name, type, sql`k.${scoreAlias(i)}`)),
    ...added.ofScores,
    ...(plan.rows.rawRows === "none" ? [] : [tableColumn("raw_data_row", "text", rawRow(plan))]),
  ];
}

function scoreAlias(index: number): Sql {
  return identifier(`s${index}`);
}

/**
 * Selects `list` for each trial, in response order. Narrow columns are joined first, so that the texts of the trials
 * are read once and pass through one sort by integers.
 */
function compileTrialTable(plan: TrialTablePlan, list: Sql): Sql {
  const scored = plan.scoreColumns.length > 0;
  const scores = scored ? sql` LEFT JOIN (${pivotedScores(plan)}) AS v ON v.trial_key = n.trial_key` : EMPTY;
  const { index, several } = trialIndex(plan, sql`n`);
  const columns = plan.scoreColumns.map((_, i) => sql`, v.${scoreAlias(i)} AS ${scoreAlias(i)}`);
  const evaluations = constant(plan.evaluationKeys.length);
  const costs = costsOf(plan);
  const added = exportRelations(plan);
  return sql`WITH ${placedRows(plan)}${costs.tables}${added.tables},
    k AS MATERIALIZED (SELECT ${ofOwnName(sql`n`, sql`trial_key`)}, ${ofOwnName(sql`n`, sql`row_key`)}, ${index} AS trial_index,
        page.place * ${evaluations} + ${position(plan, sql`n.evaluation_key`)} AS place${join(columns, EMPTY)}
      FROM trials AS n JOIN page ON page.row_key = n.row_key${several}${scores}
      WHERE ${inKeys(sql`n.evaluation_key`, plan.evaluationKeys)}${inPart(plan)})
    SELECT ${list} FROM ${trialsOfPart(plan)} AS t JOIN k ON k.trial_key = t.trial_key
    JOIN page ON page.row_key = k.row_key
    JOIN evaluations AS e ON e.evaluation_key = t.evaluation_key${costs.joined}${added.joined}${joinedRawRows(plan)} ORDER BY k.place, k.trial_index`;
}

/** A condition on `page` for what the part of the plan reads. */
export function inPart({ part }: TrialTablePlan): Sql {
  if (part === null) return EMPTY;
  const [from, to] = [bigint(part.from), bigint(part.to)];
  return sql` AND page.place >= ${from} AND page.place < ${to}`;
}

function trialsOfPart({ part }: TrialTablePlan): Sql {
  return part === null
    ? sql`trials`
    : trialsWith(sql`t.trial_key IN (SELECT trial_key FROM k)`, part.textKeys);
}

/** The texts of the table that have stubs, by the place of their rows. */
export function compileTableTexts(plan: TrialTablePlan, of: readonly ("outputs" | "rows")[]) {
  const wanted = of.filter((one) => one === "outputs" || plan.rows.rawRows !== "none");
  const document = rawRow({ ...plan, part: null });
  const outputs = sql`SELECT page.place AS place, t.output AS text
    FROM trials AS t JOIN page ON page.row_key = t.row_key
    WHERE ${inKeys(sql`t.evaluation_key`, plan.evaluationKeys)} AND t.text_bytes IS NOT NULL`;
  const rows = sql`SELECT page.place AS place, ${document} AS text
    FROM page JOIN (${firstSpellings(plan)}) AS f ON f.row_key = page.row_key WHERE ${isStub(document)}`;
  const texts = select(
    { place: column.integer(sql`place`), text: column.text(sql`text`) },
    sql` FROM (${join(
      wanted.map((one) => (one === "rows" ? rows : outputs)),
      sql` UNION ALL `,
    )})`,
  );
  return query("long texts of a table", texts, sql`WITH ${placedRows(plan)} ${texts.sql}`);
}

/** The tables `selected` and `page` (row_key, digest, place): the rows with their positions in the order. */
export function placedRows(plan: TrialTablePlan): Sql {
  return sql`selected AS MATERIALIZED (${selectedRows(plan, plan.rows.intersection)}),
    page AS MATERIALIZED (${placesOfSelected(plan, plan.rows)})`;
}

/** The tables of the costs of the trials of the page, and their join to `t`. */
function costsOf(plan: TrialTablePlan): { readonly tables: Sql; readonly joined: Sql } {
  if (plan.prices === null) return { tables: EMPTY, joined: EMPTY };
  const tables = costTables(plan, plan.prices, sql` JOIN page USING (row_key)`, EMPTY);
  return {
    tables: sql`, ${join(tables)}`,
    joined: sql` LEFT JOIN trial_costs AS c ON c.trial_key = t.trial_key`,
  };
}

/** Joins the data of the raw-row column to `page`. */
export function joinedRawRows(plan: TrialTablePlan): Sql {
  if (plan.rows.rawRows === "none") return EMPTY;
  return sql` JOIN (${firstSpellings(plan)}) AS f ON f.row_key = page.row_key${joinedTexts(plan)}`;
}

/** Joins the long texts of the raw rows `f` of a part. */
function joinedTexts({ part, rows }: TrialTablePlan): Sql {
  if (part === null) return EMPTY;
  return sql` LEFT JOIN (${textsOf(part.textKeys)}) AS x ON x.text_key = ${textKey(spelledRow(rows))}`;
}

/** The index of a trial among the trials of its row and evaluation, and the join that it needs. */
export function trialIndex(plan: TrialTablePlan, trial: Sql): { readonly index: Sql; readonly several: Sql } {
  if (plan.repeatedKeys.length === 0) return { index: sql`0`, several: EMPTY };
  const several = sql` LEFT JOIN (${repeatedTrials(plan)}) AS r ON r.trial_key = ${trial}.trial_key`;
  return { index: sql`coalesce(r.place, 0)`, several };
}

/** Whether the request may leave out rows of its evaluations. */
function isNarrowed(plan: TrialTablePlan): boolean {
  const { rows } = plan;
  return rows.limit !== null || rows.offset > 0 || rows.intersection || isFiltered(plan);
}

/** (trial_key, place): positions of the trials that are not the only one of their row and evaluation. */
function repeatedTrials(plan: TrialTablePlan): Sql {
  const scope = inKeys(sql`evaluation_key`, plan.repeatedKeys);
  return sql`SELECT trial_key,
      CAST(row_number() OVER (PARTITION BY row_key, evaluation_key ORDER BY started_at, id) - 1 AS INTEGER) AS place
    FROM trials SEMI JOIN (SELECT row_key, evaluation_key FROM trials WHERE ${scope}
      GROUP BY row_key, evaluation_key HAVING count(*) > 1) AS several USING (row_key, evaluation_key)`;
}

/** (trial_key, a column for each dimension); values that are not of the column's type are null. */
function pivotedScores(plan: TrialTablePlan): Sql {
  const columns = plan.scoreColumns.map((one, i) => sql`, ${pivoted(one)} AS ${scoreAlias(i)}`);
  const selectedJoin = isNarrowed(plan) ? sql` SEMI JOIN page ON page.row_key = v.row_key` : EMPTY;
  return sql`SELECT ${ofOwnName(sql`v`, sql`trial_key`)}${join(columns, EMPTY)} FROM ${scoreValues(plan, sql`v`)}${selectedJoin}
    WHERE ${inKeys(sql`v.evaluation_key`, plan.evaluationKeys)}${scoreScope(plan, sql`v`)} GROUP BY v.trial_key`;
}

/**
 * Uses CASE instead of FILTER: for each FILTER, DuckDB copies the columns that all of them read, which takes half a
 * minute with 1,000 of them.
 */
function pivoted({ pathKey, type }: ScoreColumn): Sql {
  const at = sql`v.path_key = ${constant(pathKey)}`;
  switch (type) {
    case "double":
      return sql`max(CASE WHEN ${at} AND v.kind = ${constant(NUMBER)} THEN v.number END)`;
    case "boolean":
      return sql`CAST(max(CASE WHEN ${at} AND v.kind = ${constant(BOOLEAN)} THEN v.number END) = 1 AS BOOLEAN)`;
    case "text":
      return sql`max(CASE WHEN ${at} AND v.kind = ${constant(TEXT)} THEN v.text END)`;
  }
}

/** A column of a relation by its own name. */
function ofOwnName(relation: Sql, name: Sql): Sql {
  return named(sql`${relation}.${name}`, name);
}

/**
 * (row_key, digest, prefix, example, val, inline_example): rows as the trial spells them that is first in their order.
 */
function firstSpellings(plan: TrialTablePlan): Sql {
  const isKeyed = plan.latestFirst.length > 0;
  const content = sql`CASE WHEN t.reference_prefix IS NULL THEN t.row_key ELSE coalesce(t.content_key, t.row_key) END`;
  const spelling = record([
    { name: sql`prefix`, value: sql`t.reference_prefix` },
    { name: sql`example`, value: sql`t.example` },
    ...(isKeyed ? [{ name: sql`content`, value: content }] : []),
  ]);
  const columns = [
    ofOwnName(isKeyed ? sql`t` : sql`d`, sql`row_key`),
    ofOwnName(sql`d`, sql`digest`),
    ...[sql`prefix`, sql`example`].map((name) => ofOwnName(sql`t.first`, name)),
    ...[sql`val`, sql`inline_example`].map((name) => ofOwnName(sql`d`, name)),
  ];
  return sql`SELECT ${join(columns)}
    FROM (SELECT ${ofOwnName(sql`t`, sql`row_key`)}, ${firstBy(spelling, rowOrder(plan, sql`t`))} AS first
      FROM trials AS t SEMI JOIN page ON page.row_key = t.row_key
      WHERE ${inKeys(sql`t.evaluation_key`, plan.evaluationKeys)} GROUP BY t.row_key) AS t
    JOIN rows AS d ON d.row_key = ${isKeyed ? sql`t.first.content` : sql`t.row_key`}`;
}

/** The raw row as `respond/query/rows.ts` writes it: the value, or the reference unless it must be resolved. */
export function rawRow({ rows, part }: TrialTablePlan): Sql {
  const spelled = spelledRow(rows);
  return part === null ? spelled : sql`coalesce(x.txt, ${spelled})`;
}

function spelledRow(rows: RowsPlan): Sql {
  const reference = sql`CAST(to_json(f.prefix || f.digest) AS VARCHAR)`;
  const referenced = rows.rawRows === "resolved" ? sql`coalesce(f.val, ${reference})` : reference;
  return sql`nullif(CASE WHEN f.prefix IS NULL THEN coalesce(f.example, f.inline_example) ELSE ${referenced} END, 'null')`;
}

/** The table with named columns. */
export function compileTableColumns(plan: TrialTablePlan): Sql {
  const list = tableColumns(plan).map(({ name, value }) => sql`${value} AS ${identifier(name)}`);
  return compileTrialTable(plan, join(list));
}

/** The table as one column; each record is a line of the format. */
export function compileTableLines(plan: TrialTablePlan, format: LineFormat): Sql {
  const isFirst = plan.part === null || plan.part.from === 0;
  return linesOf(tableColumns(plan), format, (list) => compileTrialTable(plan, list), isFirst);
}

/** The same lines of a copy of the table, which has its columns and its order. */
export function compileCopiedLines(plan: TrialTablePlan, copy: Sql, format: LineFormat): Sql {
  const columns = tableColumns(plan).map((one) => ({ ...one, value: identifier(one.name) }));
  return linesOf(columns, format, (list) => sql`SELECT ${list} FROM ${copy}`);
}

function linesOf(
  columns: readonly TableColumn[],
  format: LineFormat,
  compile: (list: Sql) => Sql,
  isFirst = true,
): Sql {
  if (isCsv(format)) return compile(sql`${csvLine(columns.map(csvColumn), format)} AS line`);
  const names = columns.map(({ name }) => sql`${text(JSON.stringify(name))}`);
  const object = jsonObject(columns.map(textColumn), names);
  if (format === "jsonl") return compile(sql`${jsonLine(object, format)} AS line`);
  const lines = compile(sql`${object} AS object`);
  return sql`SELECT ${jsonLine(sql`object`, format, isFirst)} AS line FROM (${lines})`;
}

export function textColumns(plan: TrialTablePlan): TextColumn[] {
  return tableColumns(plan).map(textColumn);
}

function textColumn({ name, type, value }: TableColumn): TextColumn {
  return { name, bare: type !== "text", value };
}

/** With doubles as JSON spells them, since DuckDB's cast writes some as other numbers. */
function csvColumn(one: TableColumn): TextColumn {
  const { type, value } = one;
  return textColumn(type === "double" ? { ...one, value: sql`to_json(${value})` } : one);
}
