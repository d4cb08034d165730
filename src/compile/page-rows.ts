import { bigint, EMPTY, identifier, join, sql, type Sql } from "../model/sql.ts";
import type { Plan, RowsPlan } from "../plan/plan.ts";
import { sortKeyRelation } from "./sort-keys.ts";

/** From the relation `selected` the rows of the page in order: FROM it as `s`, and `rows` as `d`. */
export function pageOfSelected(plan: Plan, rows: RowsPlan): Sql {
  const keys = rows.sortBy.map((sort, i) => ({ sort, alias: identifier(`k${i}`) }));
  const joins = keys.map(
    ({ sort, alias }) =>
      sql` LEFT JOIN (${sortKeyRelation(plan, sort)}) AS ${alias} ON ${alias}.row_key = s.row_key`,
  );
  const order = keys.map(({ sort, alias }) => {
    const direction = sort.descending ? sql` DESC` : sql` ASC`;
    const number = sql`${alias}.number${direction} NULLS LAST`;
    return sort.field.kind === "leaf" || sort.field.kind === "score"
      ? sql`${number}, `
      : sql`${number}, ${alias}.text${direction} NULLS LAST, `;
  });
  const limit = rows.limit === null ? EMPTY : sql` LIMIT ${bigint(rows.limit)}`;
  const offset = rows.offset === 0 ? EMPTY : sql` OFFSET ${bigint(rows.offset)}`;
  return sql`FROM selected AS s
    JOIN rows AS d ON d.row_key = s.row_key${join(joins, EMPTY)}
    ORDER BY ${join(order, EMPTY)}d.digest${limit}${offset}`;
}
