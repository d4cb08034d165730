import { EMPTY, join, sql, type Sql, constant } from "../../store/sql.ts";
import type { Plan, FieldSource } from "../../plan/plan.ts";
import { keptRows } from "../filter/filters.ts";
import { movedRows } from "./moved-rows.ts";
import { presentRows } from "../relations/relations.ts";
import { searchedRows } from "./searched-rows.ts";
import { SELECTED, countEvaluations } from "../relations/spelled.ts";
import { numbersOf } from "./trial-numbers.ts";

/**
 * The distinct rows of a request: those that the filters keep, that moved, that lack a value and that hold a text where this is
 * asked, which test only requested evaluations, and with `intersection` only those with a trial in every evaluation.
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
