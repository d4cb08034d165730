import type { Plan, Prices } from "../../plan/plan.ts";
import { column, nullable, query, select, unionAll } from "../../store/query.ts";
import type { Key } from "../../model/digest.ts";
import { EMPTY, sql } from "../../store/sql.ts";
import { amongKeys, exactSum, filtered } from "../relations/spelled.ts";
import { costTables } from "../scores/trial-costs.ts";
import { withTables, type Narrowing } from "./selected-rows.ts";

/**
 * The costs of each evaluation, and the models that leave trials without one. What a call carries counts before prices:
 * `output.cost_usd` of the trial, then `summary.weave.costs`, `summary.costs`, `cost` or `total_cost` of its usage.
 */
export function compileCosts(plan: Plan, narrowing: Narrowing, prices: Prices) {
  const known = select(
    {
      evaluationKey: column.integer(sql`evaluation_key`),
      /** null for the costs themselves; else a model that has neither a cost nor a price. */
      model: nullable(column.text(sql`NULL::VARCHAR`)),
      /** Trials with a cost; for a model, trials that it leaves without one. */
      trials: column.integer(sql`count(*)`),
      /** Trials whose cost was carried by their calls. */
      carried: column.integer(filtered(sql`count(*)`, sql`carried`)),
      /** Trials in `trials` whose model has a price, but that tell no input and output tokens. */
      unsplit: column.integer(sql`0`),
      /** Sum of the costs; in any order of the trials the same. */
      total: column.double(sql`coalesce(${exactSum(sql`cost`)}, 0)`),
    },
    sql` FROM trial_costs GROUP BY evaluation_key`,
  );
  const unknown = select(
    {
      evaluationKey: column.integer(sql`evaluation_key`),
      model: nullable(column.text(sql`model`)),
      trials: column.integer(sql`count(*)`),
      carried: column.integer(sql`0`),
      unsplit: column.integer(filtered(sql`count(*)`, sql`has_price`)),
      total: column.double(sql`0::DOUBLE`),
    },
    sql` FROM model_costs WHERE cost IS NULL GROUP BY evaluation_key, model`,
  );
  const all = unionAll([known, unknown]);
  const tables = withTables([
    ...narrowing.tables,
    ...costTables(plan, prices, narrowing.selectedJoin, EMPTY),
  ]);
  return query("costs", all, sql`${tables}${all.sql}`);
}

/** The costs of the trials of some rows, and the models that leave trials without one. */
export function compileTrialCosts(plan: Plan, prices: Prices, rowKeys: readonly Key[]) {
  const known = select(
    {
      trialKey: column.key(sql`trial_key`),
      /** null for the cost itself. */
      model: nullable(column.text(sql`NULL::VARCHAR`)),
      /** Whether the model has a price, but tells no input and output tokens. */
      unsplit: column.boolean(sql`false`),
      cost: column.double(sql`cost`),
    },
    sql` FROM trial_costs`,
  );
  const unknown = select(
    {
      trialKey: column.key(sql`trial_key`),
      model: nullable(column.text(sql`model`)),
      unsplit: column.boolean(sql`has_price`),
      cost: column.double(sql`0::DOUBLE`),
    },
    sql` FROM model_costs WHERE cost IS NULL`,
  );
  const all = unionAll([known, unknown]);
  const among = sql` AND ${amongKeys(sql`t.row_key`, rowKeys)}`;
  return query("trial costs", all, sql`${withTables(costTables(plan, prices, EMPTY, among))}${all.sql}`);
}
