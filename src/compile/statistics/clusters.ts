import { column, nullable, query, select, unionAll, type Selection } from "../../store/query.ts";
import { sql, type Sql } from "../../store/sql.ts";
import type { Plan } from "../../plan/plan.ts";
import type { ClusterWords } from "../../plan/results.ts";
import { jsonAt, wide, wideSum } from "../relations/spelled.ts";
import { rowDocuments } from "../relations/relations.ts";
import { withTables } from "../rows/selected-rows.ts";
import type { FixedPoint } from "../sums/fixed-point.ts";
import { productsOf, sumOfSquares } from "../sums/squares.ts";
import { CLUSTER_BITS } from "../sums/words.ts";
import { valuesByKind, type ValueScope } from "./row-values.ts";

/** The table `clusters` of the WITH clause: (row_key, cluster), null where a row lacks the field. */
export function rowClusters(plan: Plan, pointer: string): Sql {
  return sql`clusters AS MATERIALIZED (SELECT row_key, CASE WHEN json_type(value) <> 'NULL' THEN value::VARCHAR END AS cluster
    FROM (SELECT row_key, ${jsonAt(sql`document`, pointer)} AS value FROM (${rowDocuments(plan)})))`;
}

/** The cluster of each row; null where it lacks the field. */
export function compileRowClusters(plan: Plan, pointer: string) {
  const rows = select(
    { row: column.key(sql`row_key`), cluster: nullable(column.text(sql`cluster`)) },
    sql` FROM clusters`,
  );
  return query("row clusters", rows, sql`${withTables([rowClusters(plan, pointer)])}${rows.sql}`);
}

const S = productsOf(sql`s`, CLUSTER_BITS);

const CLUSTER_COLUMNS = {
  size: column.integer(sql`m`),
  count: column.integer(sql`count(*)`),
  sum: column.bigint(wideSum(sql`s`)),
  squares: sumOfSquares({ hh: wideSum(S.hh), hl: wideSum(S.hl), ll: wideSum(S.ll) }, CLUSTER_BITS),
};

/**
 * Sums over the clusters of each size, by the columns `by` of `words`, which has row_key and x besides. A row without
 * the field is a cluster by itself.
 */
export function selectClusters<Place extends object>(
  place: Parameters<typeof select<Place>>[0],
  by: Sql,
  words: Sql,
): Selection<Place & ClusterWords> {
  const columns = { ...place, ...CLUSTER_COLUMNS } as Parameters<typeof select<Place & ClusterWords>>[0];
  return select(
    columns,
    sql`
      FROM (SELECT ${by}, coalesce(k.cluster, 'row ' || p.row_key) AS cluster, count(*) AS m, ${wide(wideSum(sql`p.x`))} AS s
        FROM (${words}) AS p JOIN clusters AS k ON k.row_key = p.row_key GROUP BY ${by}, coalesce(k.cluster, 'row ' || p.row_key))
      GROUP BY ${by}, m`,
  );
}

/** Sums over the clusters of each size, of the row values of each series. */
export function compileClusteredRows(
  plan: Plan,
  scope: ValueScope,
  points: readonly FixedPoint[],
  pointer: string,
) {
  const parts = valuesByKind(plan, scope, points).map((values) =>
    selectClusters(
      { evaluationKey: column.integer(sql`evaluation_key`), pathKey: column.integer(sql`path_key`) },
      sql`evaluation_key, path_key`,
      values,
    ),
  );
  const all = unionAll(parts);
  const tables = withTables([...scope.narrowing.tables, rowClusters(plan, pointer)]);
  return query("clustered rows", all, sql`${tables}${all.sql}`);
}
