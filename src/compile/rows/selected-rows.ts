import { EMPTY, join, sql, type Sql } from "../../store/sql.ts";
import type { Plan } from "../../plan/plan.ts";
import { keptRows } from "../filter/filters.ts";
import { presentRows } from "../relations/relations.ts";

/** Rows that the request is about, each once: kept by the filters, which look at requested evaluations only, and present where asked. */
export function selectedRows(plan: Plan, intersection: boolean): Sql {
  const kept = keptRows(plan);
  if (kept === null) return presentRows(plan, intersection);
  if (!intersection) return kept;
  return sql`SELECT row_key FROM (${presentRows(plan, true)}) SEMI JOIN (${kept}) AS kept USING (row_key)`;
}

/**
 * The relation `selected` to join with, and a key that no row has: DuckDB joins by array, not by hash, where the keys of one
 * side are dense, but not where none is missing between the first and the last.
 */
export const SELECTED = sql`(FROM selected UNION ALL SELECT -1)`;

/** How a statement over all trials of the requested evaluations keeps to the rows that count. */
export interface Narrowing {
  /** The table `selected` for the WITH clause; none where every row counts. */
  readonly tables: readonly Sql[];
  /** Names each row once, so that this keeps records and repeats none. A selectedJoin join would be by hash. */
  readonly selectedJoin: Sql;
}

export function narrowing(plan: Plan, intersection: boolean): Narrowing {
  if (!intersection && plan.filterGroups.length === 0) return { tables: [], selectedJoin: EMPTY };
  return {
    tables: [sql`selected AS MATERIALIZED (${selectedRows(plan, intersection)})`],
    selectedJoin: sql` JOIN ${SELECTED} AS selected USING (row_key)`,
  };
}

/** `WITH …`, or nothing. */
export function withTables(tables: readonly Sql[]): Sql {
  return tables.length === 0 ? EMPTY : sql`WITH ${join(tables, sql`, `)} `;
}
