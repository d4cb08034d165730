import type { Plan } from "../../plan/plan.ts";
import { column, query, select, unionAll, type RowOf } from "../../store/query.ts";
import { constant, sql, type Sql } from "../../store/sql.ts";
import { inKeys, position } from "../relations/relations.ts";
import { bitsOf } from "../relations/spelled.ts";
import { withTables, type Narrowing } from "../rows/selected-rows.ts";
import { valuesOf, type PairScope } from "./row-pairs.ts";

const PRESENT = { present: column.bigint(sql`present`), rows: column.integer(sql`count(*)`) };

function presence(plan: Plan, { selectedJoin }: Narrowing): Sql {
  return sql`presence AS MATERIALIZED (SELECT row_key, ${bitsOf(position(plan, sql`evaluation_key`))} AS present
    FROM trials${selectedJoin} WHERE ${inKeys(sql`evaluation_key`, plan.evaluationKeys)} GROUP BY row_key)`;
}

export function compilePresence(plan: Plan, narrowing: Narrowing) {
  const counts = select(PRESENT, sql` FROM presence GROUP BY present`);
  const tables = withTables([...narrowing.tables, presence(plan, narrowing)]);
  return query("presence", counts, sql`${tables}${counts.sql}`);
}

/** The number of rows with trials in just these evaluations; `present` has a bit for each, in the order of the plan. */
export type PresentRows = RowOf<typeof compilePresence>;

/** Counts of the rows on which the baseline has a value in a dimension. `scope` has one entry per dimension. */
export function compileBaselineValues(plan: Plan, scope: PairScope) {
  const parts = scope.places.map((place) =>
    select(
      { pathKey: column.integer(constant(place.pathKey)), ...PRESENT },
      sql`
      FROM (${valuesOf(plan, scope, place, place.baseline === null ? [] : [place.baseline])}) AS v JOIN presence USING (row_key) GROUP BY present`,
    ),
  );
  const all = unionAll(parts);
  const tables = withTables([...scope.narrowing.tables, presence(plan, scope.narrowing)]);
  return query("baseline values", all, sql`${tables}${all.sql}`);
}
