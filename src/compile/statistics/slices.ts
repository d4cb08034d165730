import { column, mapped, query, select, several, unionAll, type Query } from "../../store/query.ts";
import { constant, double, EMPTY, identifier, join, sql, text, type Sql } from "../../store/sql.ts";
import type { Plan } from "../../plan/plan.ts";
import { isOfTrials, type SliceField } from "../../request/slice-by.ts";
import { inKeys, rowDocuments } from "../relations/relations.ts";
import {
  itemsOf,
  jsonAt,
  jsonColumns,
  memberNames,
  isStub,
  readingsOf,
  recordAt,
  relationOf,
  unnested,
} from "../relations/spelled.ts";
import { withTables, type Narrowing } from "../rows/selected-rows.ts";
import { scoreValues, type ScoreScope } from "../scores/score-records.ts";

/**
 * The rows that are sliced: those on which the baseline and a candidate of a group have trials, or, without a baseline,
 * any.
 */
interface SlicedGroup {
  readonly baseline: number | null;
  readonly others: readonly number[];
}

/** What slices are read from. */
export interface SliceScope {
  readonly plan: Plan;
  readonly narrowing: Narrowing;
  readonly groups: readonly SlicedGroup[];
}

/** Slices of the same fields, with the numbers that stand for them in SQL. */
export interface SliceSet {
  readonly fields: readonly SliceField[];
  /** The key of each slice, a text a field, see {@link keyOf}. */
  readonly keys: readonly (readonly string[])[];
  /** The number of the first slice; the others follow. */
  readonly first: number;
  /** The number, below 0, of all rows that have a value. */
  readonly any: number;
}

/** (row_key): the rows that are sliced. */
function slicedRows({ narrowing, groups }: SliceScope): Sql {
  const parts = groups.map(({ baseline, others }) => {
    const among =
      baseline === null
        ? EMPTY
        : sql` AND row_key IN (SELECT row_key FROM trials WHERE evaluation_key = ${constant(baseline)})`;
    return sql`SELECT row_key FROM trials${narrowing.selectedJoin} WHERE ${inKeys(sql`evaluation_key`, others)}${among}`;
  });
  return sql`sliced_rows AS MATERIALIZED (SELECT row_key FROM (${join(parts, sql` UNION ALL `)}) GROUP BY row_key)`;
}

/**
 * The text that stands for a JSON value of a type: a letter for the type, and the value. Numbers that are the same
 * double are one; null for null, lists and objects. Each function stands here once, since ClickHouse writes it out.
 */
function keyOf(json: Sql, type: Sql): Sql {
  return sql`CASE ${type} WHEN 'VARCHAR' THEN 't' WHEN 'BOOLEAN' THEN 'b' ELSE 'n' END || CASE WHEN ${type} IN ('VARCHAR', 'BOOLEAN') THEN json_text(${json})
      WHEN ${type} IN ('NULL', 'OBJECT', 'ARRAY') THEN NULL ELSE number_text(json_number(${json})) END`;
}

/** What slices by some fields are of, as columns: rows, or trials with their rows. */
function slicedUnits(fields: readonly SliceField[]): readonly Sql[] {
  return isOfTrials(fields) ? [sql`trial_key`, sql`row_key`] : [sql`row_key`];
}

/**
 * (row_key, json) of a field, of a member of the output also trial_key; of a call's attributes, null where the trials
 * of a row do not agree.
 */
function fieldJson({ plan, groups }: SliceScope, { root, pointer, placed, numbers: known }: SliceField): Sql {
  if (known !== undefined)
    return sql`SELECT trial_key AS row_key, ${FIFTHS} AS json FROM ${readingsOf(known.keys, known.numbers, "[]")} AS p
      WHERE trial_key IN (SELECT row_key FROM sliced_rows)`;
  if (placed !== undefined) {
    const numbers = readingsOf(`[${placed.rowKeys.join()}]`, `[${placed.slices.join()}]`, "[]");
    const slice = sql`CAST(CAST(number AS BIGINT) AS VARCHAR)`;
    return sql`SELECT trial_key AS row_key, concat('"', ${slice}, ${text(` of ${placed.bins}"`)}) AS json
      FROM ${numbers} AS p WHERE trial_key IN (SELECT row_key FROM sliced_rows)`;
  }
  if (root === "inputs")
    return sql`SELECT row_key, ${jsonAt(sql`document`, pointer)} AS json FROM (${rowDocuments(plan)}) AS r
      WHERE row_key IN (SELECT row_key FROM sliced_rows)`;
  const keys = groups.flatMap(({ baseline, others }) => [
    ...(baseline === null ? [] : [baseline]),
    ...others,
  ]);
  if (root === "output")
    return sql`SELECT t.trial_key AS trial_key, t.row_key AS row_key, ${jsonAt(sql`t.output`, pointer)} AS json FROM trials AS t
      WHERE ${inKeys(sql`t.evaluation_key`, [...new Set(keys)])} AND t.row_key IN (SELECT row_key FROM sliced_rows)`;
  const value = sql`CAST(${recordAt(sql`c.record`, `/attributes${pointer}`)} AS VARCHAR)`;
  // A long text groups nothing.
  const short = plan.longTexts ? sql`CASE WHEN NOT ${isStub(value)} THEN ${value} END` : value;
  return sql`SELECT row_key, CASE WHEN count(text) = count(*) AND min(text) = max(text) THEN min(text) END AS json
      FROM (SELECT t.row_key AS row_key, ${short} AS text
        FROM trials AS t JOIN calls AS c ON c.call_key = t.trial_key
        WHERE ${inKeys(sql`t.evaluation_key`, [...new Set(keys)])} AND t.row_key IN (SELECT row_key FROM sliced_rows))
      GROUP BY row_key`;
}

/** Which of five equal steps from 0 to 1 a number is in, as JSON; a mean may lie below a step by its last digits. */
const FIFTHS = sql`CASE ${join(
  [0.2, 0.4, 0.6, 0.8].map((end) => {
    const range = `"${(end - 0.2).toFixed(1)} to ${end.toFixed(1)}"`;
    return sql`WHEN number < ${double(end - 1e-9)} THEN ${text(range)}`;
  }),
  sql` `,
)} ELSE ${text('"0.8 to 1.0"')} END`;

function valueName(i: number): Sql {
  return identifier(`v${i}`);
}

/** The relation `name`: what is sliced and v0, v1, each value that it has, once; of two fields each pair. */
function sliceValues(scope: SliceScope, name: Sql, fields: readonly SliceField[]): Sql {
  const parts = fields.map((field, i) => {
    const unit = join(slicedUnits([field]));
    const items = sql`SELECT ${unit}, ${unnested(itemsOf(sql`json`))} AS item FROM (${fieldJson(scope, field)})`;
    const typed = sql`SELECT ${unit}, item, json_type(item) AS type FROM (${items})`;
    return sql`(SELECT ${unit}, ${valueName(i)} FROM (SELECT ${unit}, ${keyOf(sql`item`, sql`type`)} AS ${valueName(i)} FROM (${typed}))
      WHERE ${valueName(i)} IS NOT NULL GROUP BY ${unit}, ${valueName(i)}) AS f${constant(i)}`;
  });
  const [first = EMPTY, second] = parts;
  const isTrials = fields.map((field) => isOfTrials([field]));
  const key = isTrials.every(Boolean) ? sql`trial_key` : sql`row_key`;
  const from = second === undefined ? first : sql`${first} JOIN ${second} ON f1.${key} = f0.${key}`;
  const owner = isTrials.indexOf(true) === 1 ? sql`f1` : sql`f0`;
  const units = join(slicedUnits(fields).map((unit) => sql`${owner}.${unit} AS ${unit}`));
  return sql`${name} AS MATERIALIZED (SELECT ${units}, ${valuesOf(fields)} FROM ${from})`;
}

function valuesOf(fields: readonly SliceField[]): Sql {
  return join(fields.map((_, i) => valueName(i)));
}

/** Finds the slices with most rows or trials, then by value: numbers, false and true, texts. */
export function compileSliceValues(scope: SliceScope, fields: readonly SliceField[], most: number) {
  const [unit = EMPTY] = slicedUnits(fields);
  const rows = isOfTrials(fields) ? sql`count(DISTINCT row_key)` : sql`count(*)`;
  const order = fields.map((_, i) => {
    const key = valueName(i);
    return sql`CASE WHEN ${key} LIKE 'n%' THEN text_number(substring(${key}, 2)) END NULLS LAST, ${key}`;
  });
  const found = select(
    {
      key: several(fields.map((_, i) => column.text(valueName(i)))),
      units: column.integer(sql`unit_count`),
      rows: column.integer(sql`row_count`),
      /** Slices, those of one row or trial, and rows or trials of all slices added up. */
      slices: column.integer(sql`count(*) OVER ()`),
      single: column.integer(sql`sum(CASE WHEN unit_count = 1 THEN 1 ELSE 0 END) OVER ()`),
      placed: column.integer(sql`sum(unit_count) OVER ()`),
      /** Rows or trials that are in some slice. */
      inSome: column.integer(sql`(SELECT count(DISTINCT ${unit}) FROM slice_values)`),
    },
    sql` FROM (SELECT ${valuesOf(fields)}, count(*) AS unit_count, ${rows} AS row_count FROM slice_values
        GROUP BY ${valuesOf(fields)})
      ORDER BY unit_count DESC, ${join(order)} LIMIT ${constant(most)}`,
  );
  const tables = [
    ...scope.narrowing.tables,
    slicedRows(scope),
    sliceValues(scope, sql`slice_values`, fields),
  ];
  return query("slice values", found, sql`${withTables(tables)}${found.sql}`);
}

/**
 * The names of the members that values of the rows have at these pointers; `parent` is the place of the pointer. Most
 * rows have the same, so that few lists are left to take apart.
 */
export function compileMemberNames(scope: SliceScope, pointers: readonly string[]) {
  const parts = pointers.map((pointer, i) => {
    const member = (x: Sql) =>
      sql`${pointer === "" ? sql`document${x}` : jsonAt(sql`document`, pointer)} AS member${x}`;
    const members = sql`SELECT ${jsonColumns(member)} FROM (${rowDocuments(scope.plan)}) AS r WHERE row_key IN (SELECT row_key FROM sliced_rows)`;
    const lists = sql`SELECT ${memberNames([sql`member`])} AS names FROM (${members})`;
    return select(
      { parent: column.integer(constant(i)), name: column.text(unnested(sql`names`)) },
      sql` FROM (SELECT names FROM (${lists}) GROUP BY names)`,
    );
  });
  const found = unionAll(parts);
  const tables = withTables([...scope.narrowing.tables, slicedRows(scope)]);
  return query("member names", found, sql`${tables}${found.sql}`);
}

/** The number of each trial in a dimension that is computed. */
export function compileTrialNumbers(scope: ScoreScope, pathKey: number) {
  const columns = {
    rowKey: column.key(sql`v.row_key`),
    number: column.double(sql`CAST(v.number AS DOUBLE)`),
  };
  const from = sql` FROM ${scoreValues(scope, sql`v`, [pathKey])} WHERE v.number IS NOT NULL`;
  return query("numbers of trials", select(columns, from));
}

const SAMPLED_TRIALS = 8;

/** The attributes of the calls of the first trials. */
export function compileSampledAttributes({ plan }: SliceScope): Query<{ readonly document: string }> {
  const attributes = recordAt(sql`c.record`, "/attributes");
  const documents = select(
    { document: column.text(sql`CAST(${attributes} AS VARCHAR)`) },
    sql` FROM trials AS t JOIN calls AS c ON c.call_key = t.trial_key
    WHERE ${inKeys(sql`t.evaluation_key`, plan.evaluationKeys)} AND ${attributes} IS NOT NULL ORDER BY t.started_at, t.trial_key LIMIT ${constant(SAMPLED_TRIALS)}`,
  );
  return query("sampled attributes", documents);
}

/** Counts, for each field of the rows, all rows, those that have a value, and how many values there are. */
export function compileFieldKinds(scope: SliceScope, fields: readonly SliceField[]) {
  const each = (of: (name: (letter: string) => Sql, field: SliceField) => Sql) =>
    join(
      fields.map((field, i) => sql`, ${of((letter) => identifier(`${letter}${i}`), field)}`),
      EMPTY,
    );
  const json = each((name, { pointer }) => sql`${jsonAt(sql`document`, pointer)} AS ${name("j")}`);
  const types = each((name) => sql`${name("j")}, json_type(${name("j")}) AS ${name("t")}`);
  const keys = each((name) => sql`${name("t")}, ${keyOf(name("j"), name("t"))} AS ${name("k")}`);
  const kinds = fields.map((_, i) => {
    const [key, type] = [identifier(`k${i}`), identifier(`t${i}`)];
    return several([
      column.integer(sql`count(${key})`),
      column.integer(sql`count(DISTINCT ${key})`),
      column.integer(sql`count(CASE WHEN ${type} = 'ARRAY' THEN 1 END)`),
    ]);
  });
  const documents = sql`SELECT row_key${json} FROM (${rowDocuments(scope.plan)}) AS r WHERE row_key IN (SELECT row_key FROM sliced_rows)`;
  const counts = select(
    { rows: column.integer(sql`count(*)`), kinds: several(kinds) },
    sql` FROM (SELECT row_key${keys} FROM (SELECT row_key${types} FROM (${documents})))`,
  );
  const read = mapped(counts, ({ rows, kinds: found }) =>
    found.map(([present = 0, distinct = 0, lists = 0]) => ({ rows, present, distinct, hasLists: lists > 0 })),
  );
  const tables = withTables([...scope.narrowing.tables, slicedRows(scope)]);
  return query("field kinds", read, sql`${tables}${counts.sql}`);
}

/**
 * The relations (row_key, slice), by the name `slices`, that number the slices of each set; of trials also trial_key.
 */
export function sliceTables(scope: SliceScope, sets: readonly SliceSet[]): Sql[] {
  const tables = sets.flatMap(({ fields, keys, first }, i) => {
    const columns = [...fields.map((_, f) => valueName(f)), sql`slice`];
    const records = keys.map((key, k) => [...key.map((one) => sql`${text(one)}`), constant(first + k)]);
    return [
      sliceValues(scope, nameOf("slice_values", i), fields),
      ...(records.length === 0 ? [] : [relationOf(nameOf("slice_numbers", i), columns, records)]),
    ];
  });
  const parts = sets.flatMap(({ fields, keys, any }, i) => {
    const same = fields.map((_, f) => sql`n.${valueName(f)} = s.${valueName(f)}`);
    const values = nameOf("slice_values", i);
    const units = slicedUnits(fields);
    const own = join(units.map((unit) => sql`s.${unit} AS ${unit}`));
    return [
      sql`SELECT ${join(units)}, ${constant(any)} AS slice FROM ${values} GROUP BY ${join(units)}`,
      ...(keys.length === 0
        ? []
        : [
            sql`SELECT ${own}, n.slice AS slice FROM ${values} AS s JOIN ${nameOf("slice_numbers", i)} AS n
        ON ${join(same, sql` AND `)}`,
          ]),
    ];
  });
  const all = join(parts, sql` UNION ALL `);
  return [slicedRows(scope), ...tables, sql`slices AS MATERIALIZED (${all})`];
}

function nameOf(name: string, i: number): Sql {
  return identifier(`${name}_${i}`);
}
