import type { Plan } from "../../plan/plan.ts";
import type { PriceList } from "../../request/leaderboard/prices.ts";
import { column, nullable, query, select, unionAll, type Query } from "../../store/query.ts";
import { constant, double, join, sql, text, type Sql } from "../../store/sql.ts";
import { inKeys } from "../relations/relations.ts";
import {
  amountAt,
  filtered,
  isObjectNamed,
  jsonColumns,
  memberNamed,
  memberNames,
  named,
  relationOf,
  roundToWide,
  summaryOf,
  unnested,
  wide,
} from "../relations/spelled.ts";
import { withTables, type Narrowing } from "../rows/selected-rows.ts";

/** Costs of the trials of one evaluation, or trials without a cost because of one model. */
interface EvaluationCosts {
  readonly evaluationKey: number;
  /** null for the costs themselves; else a model whose usage has neither a cost nor a price. */
  readonly model: string | null;
  /** Trials with a cost; for a model, trials that it leaves without one. */
  readonly trials: number;
  /** Trials whose cost was carried by their calls. */
  readonly carried: number;
  /** Trials in `trials` whose model has a price, but that tell no input and output tokens. */
  readonly unsplit: number;
  /** Sum of the costs in parts of {@link COST_PARTS}. */
  readonly total: bigint;
}

/** Parts of the unit of money in which costs are added. */
export const COST_PARTS = 1e12;

/** A double in whole parts; null beyond 10^18. */
function parts(cost: Sql): Sql {
  return sql`(CASE WHEN ${cost} < 1e18 THEN ${roundToWide(sql`${cost} * 1e12`)} END)`;
}

/** (model, input, output): the prices; no record without prices. */
function priceTable(prices: PriceList): Sql {
  const records = Object.entries(prices).map(([model, { input, output }]) => [
    sql`${text(model)}`,
    sql`${double(input)}`,
    sql`${double(output)}`,
  ]);
  if (records.length === 0)
    return sql`prices AS (SELECT '' AS model, 0::DOUBLE AS input, 0::DOUBLE AS output WHERE false)`;
  return relationOf(sql`prices`, [sql`model`, sql`input`, sql`output`], records);
}

/** (trial_key, evaluation_key, call_key, stated): the call whose usage counts, and the cost in the trial's output. */
function usingCalls(plan: Plan, { selectedJoin }: Narrowing): Sql {
  const stated = parts(amountAt(sql`t.output`, "/cost_usd"));
  const trials = sql`FROM trials AS t${selectedJoin}`;
  const scope = inKeys(sql`t.evaluation_key`, plan.evaluationKeys);
  if (!plan.includeChildren)
    return sql`using_calls AS MATERIALIZED (SELECT t.trial_key, t.evaluation_key, t.trial_key AS call_key, ${stated} AS stated
      ${trials} WHERE ${scope})`;
  const project = constant(plan.projectKey);
  return sql`using_calls AS MATERIALIZED (SELECT t.trial_key, t.evaluation_key, ${stated} AS stated,
      CASE WHEN t.predict_call_id IS NULL THEN t.trial_key ELSE p.call_key END AS call_key
    ${trials} LEFT JOIN calls AS p ON p.id_hash = md5_number_lower(concat(${project}, ':', t.predict_call_id))
      AND p.id = t.predict_call_id AND p.project_key = ${project} AND NOT p.hidden
    WHERE ${scope})`;
}

/** (…, usage, costs): the usage of each call by model, as JSON objects. */
const CALL_USAGE = sql`call_usage AS (
  SELECT u.trial_key, u.evaluation_key, u.stated,
    ${jsonColumns((x) => sql`${summaryOf(sql`c.record`, "usage")} AS usage${x}, ${summaryOf(sql`c.record`, "costs")} AS costs${x}`)}
  FROM using_calls AS u LEFT JOIN calls AS c ON c.call_key = u.call_key)`;

const MODEL = sql`model`;

/** (…, model, usage, costs): one record a model of a call, none for a call without usage. */
const MODEL_USAGE = sql`model_usage AS (
  SELECT trial_key, evaluation_key, model, ${jsonColumns(
    (x) => sql`${memberNamed(sql`usage`, MODEL)} AS usage${x},
    ${memberNamed(sql`costs`, MODEL)} AS costs${x}`,
  )}
  FROM (SELECT trial_key, evaluation_key, ${jsonColumns((x) => sql`usage${x}, costs${x}`)}, ${unnested(memberNames([sql`usage`, sql`costs`]))} AS model
    FROM call_usage WHERE stated IS NULL)
  WHERE ${isObjectNamed(sql`usage`, MODEL)} OR ${isObjectNamed(sql`costs`, MODEL)})`;

/** Numbers of the usage of a model, as arguments of a function. */
function used(...names: readonly string[]): Sql {
  return join(
    names.map((name) => amountAt(sql`m.usage`, `/${name}`)),
    sql`, `,
  );
}

/** (…, carried, price, input, output): what a call says of one model. */
function modelCosts(): Sql {
  const [prompt, completion] = [
    amountAt(sql`m.costs`, "/prompt_tokens_total_cost"),
    amountAt(sql`m.costs`, "/completion_tokens_total_cost"),
  ];
  const computed = sql`CASE WHEN ${prompt} IS NULL THEN ${completion} ELSE ${prompt} + coalesce(${completion}, 0) END`;
  return sql`model_costs AS MATERIALIZED (
    SELECT trial_key, evaluation_key, model, carried, input_price IS NOT NULL AS has_price,
      coalesce(${parts(sql`carried`)}, ${parts(sql`((input * input_price + output * output_price) / 1e6)`)}) AS cost
    FROM (SELECT m.trial_key, m.evaluation_key, ${named(sql`m.model`, MODEL)},
        coalesce(${computed}, ${used("cost", "total_cost")}) AS carried,
        coalesce(${used("prompt_tokens", "input_tokens")}) AS input,
        coalesce(${used("completion_tokens", "output_tokens")}) AS output,
        p.input AS input_price, p.output AS output_price
      FROM model_usage AS m LEFT JOIN prices AS p ON p.model = m.model))`;
}

/** (trial_key, evaluation_key, cost, carried): the trials with a cost, which is the sum over all models of the call. */
const TRIAL_COSTS = sql`trial_costs AS (
  SELECT trial_key, evaluation_key, stated AS cost, true AS carried FROM using_calls WHERE stated IS NOT NULL
  UNION ALL SELECT trial_key, evaluation_key, sum(cost), count(carried) = count(*)
    FROM model_costs GROUP BY ALL HAVING count(cost) = count(*))`;

/**
 * The costs of each evaluation, and the models that leave trials without one. What a call carries counts before prices:
 * `output.cost_usd` of the trial, then `summary.weave.costs`, then `cost` or `total_cost` of its usage.
 */
export function compileCosts(plan: Plan, narrowing: Narrowing, prices: PriceList): Query<EvaluationCosts> {
  const known = select(
    {
      evaluationKey: column.integer(sql`evaluation_key`),
      model: nullable(column.text(sql`NULL::VARCHAR`)),
      trials: column.integer(sql`count(*)`),
      carried: column.integer(filtered(sql`count(*)`, sql`carried`)),
      unsplit: column.integer(sql`0`),
      total: column.bigint(sql`coalesce(sum(cost), 0)`),
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
      total: column.bigint(wide(sql`0`)),
    },
    sql` FROM model_costs WHERE cost IS NULL GROUP BY evaluation_key, model`,
  );
  const all = unionAll([known, unknown]);
  const tables = withTables([
    ...narrowing.tables,
    priceTable(prices),
    usingCalls(plan, narrowing),
    CALL_USAGE,
    MODEL_USAGE,
    modelCosts(),
    TRIAL_COSTS,
  ]);
  return query("costs", all, sql`${tables}${all.sql}`);
}
