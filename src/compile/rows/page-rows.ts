import { bigint, bounds, EMPTY, identifier, join, sql, type Sql } from "../../store/sql.ts";
import type { Plan, RowsPlan, SortPlan } from "../../plan/plan.ts";
import { sortKeyRelation } from "./sort-keys.ts";
import { narrowing } from "./selected-rows.ts";
import { columnsOf, placed, SELECTED } from "../relations/spelled.ts";

/** The FROM clause of the rows of the page in order, as `s` with their `digest`; reads `selected`. */
export function pageOfSelected(plan: Plan, rows: RowsPlan): Sql {
  if (skipsRows(rows)) return sql`FROM (${placesOfSelected(plan, rows)}) AS s ORDER BY place`;
  const { from, order } = orderedRows(plan, rows);
  return sql`${from} ORDER BY ${order}${bounds(rows)}`;
}

/** (row_key, digest, place): the same rows with their places on the page, from 0 on. */
export function placesOfSelected(plan: Plan, rows: RowsPlan): Sql {
  const { limit, offset } = rows;
  const columns = [
    { value: sql`s.row_key`, name: sql`row_key` },
    { value: sql`d.digest`, name: sql`digest` },
  ];
  const ordered = orderedRows(plan, rows);
  if (limit === null || !skipsRows(rows)) return placed({ columns, ...ordered, limit, offset });
  const near = placed({
    columns: [...columns, { value: sql`s.earlier`, name: sql`earlier` }],
    ...ordered,
    limit: limit + offset,
    offset: 0,
  });
  const place = sql`place + earlier - ${bigint(offset)}`;
  return sql`SELECT row_key, digest, ${place} AS place FROM (${near}) AS near
    WHERE ${place} BETWEEN 0 AND ${bigint(limit - 1)}`;
}

/** Whether rows that come before the page are left out by their first sort key. */
function skipsRows({ sortBy, limit, offset }: RowsPlan): boolean {
  return sortBy.length > 0 && limit !== null && limit > 0 && offset > 0;
}

function orderedRows(plan: Plan, rows: RowsPlan): { readonly from: Sql; readonly order: Sql } {
  const [first, ...others] = rows.sortBy;
  const digests = sql`JOIN rows AS d ON d.row_key = s.row_key`;
  if (first === undefined) return { from: sql`FROM ${SELECTED} AS s ${digests}`, order: sql`d.digest` };
  const keys = others.map((sort, i) => ({ sort, alias: identifier(`k${i + 1}`) }));
  const joins = keys.map(
    ({ sort, alias }) =>
      sql` LEFT JOIN (${sortKeyRelation(plan, sort)}) AS ${alias} ON ${alias}.row_key = s.row_key`,
  );
  const order = [inOrder(first, sql`s`), ...keys.map(({ sort, alias }) => inOrder(sort, alias))];
  const from = sql`FROM (${rowsByFirstKey(plan, rows, first)}) AS s ${digests}${join(joins, EMPTY)}
   `;
  return { from, order: sql`${join(order, EMPTY)}d.digest` };
}

function inOrder(sort: SortPlan, alias: Sql): Sql {
  const direction = sort.descending ? sql` DESC` : sql` ASC`;
  const number = sql`${alias}.number${direction} NULLS LAST, `;
  return hasTexts(sort) ? sql`${number}${alias}.text${direction} NULLS LAST, ` : number;
}

/** Whether rows without a number may have a text. */
function hasTexts({ field }: SortPlan): boolean {
  return field.kind !== "leaf" && field.kind !== "score";
}

/**
 * (row_key, number, text, earlier): the selected rows with their first sort key; where the page is bounded, at least
 * its rows, and how many others come `earlier`.
 */
function rowsByFirstKey(plan: Plan, rows: RowsPlan, first: SortPlan): Sql {
  const { limit } = rows;
  const relation = sortKeyRelation(plan, first);
  const texts = hasTexts(first);
  const columns = texts ? sql`row_key, k.number, k.text` : sql`row_key, k.number`;
  if (limit === null || limit === 0) {
    return sql`SELECT ${columns} FROM selected LEFT JOIN (${relation}) AS k USING (row_key)`;
  }
  const keyed = columnsOf(sql`keyed`, ["row_key", "number", ...(texts ? ["text"] : [])].map(identifier));
  const direction = first.descending ? sql`DESC` : sql`ASC`;
  const before = first.descending ? sql`keyed.number > most` : sql`keyed.number < least`;
  // Not a subquery as a value: ClickHouse runs that before the tables are materialized.
  const skipped = sql`
      skipped AS MATERIALIZED (SELECT count(*) AS skipped FROM keyed JOIN ends ON ${before}),`;
  const [counting, earlier, counted] = skipsRows(rows)
    ? [skipped, sql`, any_value(skipped) AS earlier`, sql`, skipped`]
    : [EMPTY, EMPTY, EMPTY];
  // All rows with a key are selected, but where rows are chosen. Numbers come first: with enough of them, rows without
  // a number are not read. Mostly few rows have the numbers of the page, and digests are read only for these. Their
  // keys are distinct already; they are grouped because DuckDB expects few groups, and so builds its hash table of them
  // and not of the digests.
  return sql`WITH keyed AS MATERIALIZED (SELECT ${columns} FROM (${relation}) AS k${joinOfKeys(plan, rows, first)}),
      ends AS MATERIALIZED (SELECT min(number) AS least, max(number) AS most FROM (SELECT number FROM keyed
        WHERE number IS NOT NULL ORDER BY number ${direction}${bounds(rows)}) HAVING count(*) = ${bigint(limit)}),
      few AS MATERIALIZED (SELECT count(*) = 0 AS few FROM ends),${counting}
      near AS (SELECT ${keyed} FROM keyed JOIN ends ON keyed.number >= least AND keyed.number <= most
        UNION ALL SELECT ${columns} FROM (SELECT row_key FROM selected, few WHERE few) AS s
          LEFT JOIN (SELECT ${keyed} FROM keyed, few WHERE few) AS k USING (row_key))
      SELECT row_key, any_value(number) AS number${texts ? sql`, any_value(text) AS text` : EMPTY}${earlier} FROM near${counted} GROUP BY row_key`;
}

/** Rows of the project that are in no evaluation have inputs as well. */
function joinOfKeys(plan: Plan, { intersection }: RowsPlan, { field }: SortPlan): Sql {
  return field.kind === "input"
    ? sql` JOIN ${SELECTED} AS selected USING (row_key)`
    : narrowing(plan, intersection).selectedJoin;
}
