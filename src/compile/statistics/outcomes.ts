import { column, nullable, query, select, unionAll } from "../../store/query.ts";
import { EMPTY, sql, type Sql } from "../../store/sql.ts";
import type { Plan } from "../../plan/plan.ts";
import { inKeys, scoreScope } from "../relations/relations.ts";
import { scoreValues } from "../scores/score-records.ts";
import { withTables, type Narrowing } from "../rows/selected-rows.ts";
import { nothing } from "../relations/spelled.ts";

/** The table of trials that went wrong. A failed predict call counts only where children are included. */
function erroredTrials(plan: Plan, { selectedJoin }: Narrowing): Sql {
  const own = plan.includeChildren ? EMPTY : sql` AND t.own`;
  return sql`errored AS MATERIALIZED (SELECT t.trial_key, t.evaluation_key FROM errored_trials AS t${selectedJoin}
      WHERE ${inKeys(sql`t.evaluation_key`, plan.evaluationKeys)}${own})`;
}

function unscored(evaluation: Sql, path: Sql, errored: Sql) {
  return {
    evaluationKey: column.integer(evaluation),
    pathKey: nullable(column.integer(path)),
    count: column.integer(sql`count(*)`),
    errored: column.integer(errored),
  };
}

/**
 * The number of trials of an evaluation that went wrong (`pathKey` is null, `errored` is 0), or of those with null in a
 * dimension; `errored` counts those of them that went wrong.
 */
export function compileUnscored(plan: Plan, narrowing: Narrowing) {
  const parts = [
    select(
      unscored(sql`evaluation_key`, nothing("BIGINT"), sql`0`),
      sql` FROM errored GROUP BY evaluation_key`,
    ),
    select(
      unscored(sql`t.evaluation_key`, sql`t.path_key`, sql`count(e.trial_key)`),
      sql` FROM null_scores AS t${narrowing.selectedJoin}
      LEFT JOIN errored AS e ON e.trial_key = t.trial_key
      WHERE ${inKeys(sql`t.evaluation_key`, plan.evaluationKeys)}${scoreScope(plan, sql`t`)}
      GROUP BY t.evaluation_key, t.path_key`,
    ),
  ];
  const all = unionAll(parts, sql`\n    UNION ALL `);
  const tables = withTables([...narrowing.tables, erroredTrials(plan, narrowing)]);
  return query("unscored trials", all, sql`${tables}${all.sql}`);
}

/** The number of trials of each evaluation. */
export function compileTrialCounts(plan: Plan, narrowing: Narrowing) {
  const counts = select(
    { evaluationKey: column.integer(sql`t.evaluation_key`), count: column.integer(sql`count(*)`) },
    sql` FROM trials AS t${narrowing.selectedJoin}
    WHERE ${inKeys(sql`t.evaluation_key`, plan.evaluationKeys)} GROUP BY t.evaluation_key`,
  );
  return query("trial counts", counts, sql`${withTables(narrowing.tables)}${counts.sql}`);
}

/** For each series of some dimensions, the trials that went wrong but have a score value. */
export function compileScoredErrors(plan: Plan, narrowing: Narrowing, pathKeys: readonly number[]) {
  const counts = select(
    {
      evaluationKey: column.integer(sql`v.evaluation_key`),
      pathKey: column.integer(sql`v.path_key`),
      count: column.integer(sql`count(*)`),
    },
    sql`
    FROM ${scoreValues(plan, sql`v`, pathKeys)} SEMI JOIN errored USING (trial_key)
    WHERE ${inKeys(sql`v.evaluation_key`, plan.evaluationKeys)} AND ${inKeys(sql`v.path_key`, pathKeys)}${scoreScope(plan, sql`v`)}
    GROUP BY v.evaluation_key, v.path_key`,
  );
  const tables = withTables([...narrowing.tables, erroredTrials(plan, narrowing)]);
  return query("scored errors", counts, sql`${tables}${counts.sql}`);
}
