import { column, query, select } from "../../store/query.ts";
import { sql, type Sql } from "../../store/sql.ts";
import type { Plan } from "../../plan/plan.ts";
import type { FixedPoint } from "../sums/fixed-point.ts";
import { withTables } from "../rows/selected-rows.ts";
import { rowValues, type ValueScope } from "./row-values.ts";
import { binned, doublesOf } from "../relations/spelled.ts";

/**
 * Counts row values between the edges of their dimension; bins without rows are left out. DuckDB's bins hold their upper
 * edge, so both are negated.
 */
export function compileBinCounts(
  plan: Plan,
  scope: ValueScope,
  points: readonly FixedPoint[],
  edges: ReadonlyMap<number, readonly number[]>,
) {
  const counts = select(
    {
      evaluationKey: column.integer(sql`evaluation_key`),
      pathKey: column.integer(sql`path_key`),
      /** The lower edge of the bin. */
      edge: column.double(sql`-bin.key`),
      rows: column.integer(sql`bin.value`),
    },
    sql`
    FROM (SELECT evaluation_key, path_key, ${binned(sql`-value`, lowerEdges(edges))} AS bin
      FROM (${rowValues(plan, scope, points)}) GROUP BY evaluation_key, path_key)`,
  );
  return query("bin counts", counts, sql`${withTables(scope.narrowing.tables)}${counts.sql}`);
}

/** The negated lower edges of the bins of a record's dimension, ascending. */
function lowerEdges(edges: ReadonlyMap<number, readonly number[]>): Sql {
  const lists = [...edges].map(([pathKey, list]): [number, string] => {
    const negated = list.slice(0, -1).map((edge) => String(-edge));
    return [pathKey, `[${negated.toReversed().join(", ")}]`];
  });
  return doublesOf(sql`path_key`, new Map(lists));
}
