import type { Plan } from "../../plan/plan.ts";
import type { PriceList } from "../../request/wire.ts";
import { column, nullable, query, select, unionAll, type Query } from "../../store/query.ts";
import type { Key } from "../../model/digest.ts";
import { constant, double, EMPTY, join, sql, text, type Sql } from "../../store/sql.ts";
import { inKeys } from "../relations/relations.ts";
import {
  amountAt,
  amongKeys,
  exactSum,
  filtered,
  jsonColumns,
  memberNamed,
  memberNames,
  named,
  relationOf,
  summaryOf,
  unnested,
} from "../relations/spelled.ts";
import { withTables, type Narrowing } from "./selected-rows.ts";

/** Costs of the trials of one evaluation, or trials without a cost because of one model. */
interface EvaluationCosts {
  readonly evaluationKey: number;
  /** null for the costs themselves; else a model that has neither a cost nor a price. */
  readonly model: string | null;
  /** Trials with a cost; for a model, trials that it leaves without one. */
  readonly trials: number;
  /** Trials whose cost was carried by their calls. */
  readonly carried: number;
  /** Trials in `trials` whose model has a price, but that tell no input and output tokens. */
  readonly unsplit: number;
  /** Sum of the costs; in any order of the trials the same. */
  readonly total: number;
}

/** What the costs of one trial add up to, or a model that leaves it without one. */
interface TrialCost {
  readonly trialKey: Key;
  /** null for the cost itself. */
  readonly model: string | null;
  /** Whether the model has a price, but tells no input and output tokens. */
  readonly unsplit: boolean;
  readonly cost: number;
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
function usingCalls(plan: Plan, selectedJoin: Sql, among: Sql): Sql {
  const stated = amountAt(sql`t.output`, "/cost_usd");
  const trials = sql`FROM trials AS t${selectedJoin}`;
  const scope = sql`${inKeys(sql`t.evaluation_key`, plan.evaluationKeys)}${among}`;
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

/** (…, usage, costs, told): what each call says by model, as JSON objects. */
const CALL_USAGE = sql`call_usage AS (
  SELECT u.trial_key, u.evaluation_key, u.stated, ${jsonColumns(
    (x) => sql`${summaryOf(sql`c.record`, "usage")} AS usage${x},
    ${summaryOf(sql`c.record`, "weave/costs")} AS costs${x}, ${summaryOf(sql`c.record`, "costs")} AS told${x}`,
  )}
  FROM using_calls AS u LEFT JOIN calls AS c ON c.call_key = u.call_key)`;

const MODEL = sql`model`;

/** (…, model, usage, costs, told): one record a model of a call, none for a call without. */
const MODEL_USAGE = sql`model_usage AS (
  SELECT trial_key, evaluation_key, model, ${jsonColumns(
    (x) => sql`${memberNamed(sql`usage`, MODEL)} AS usage${x},
    ${memberNamed(sql`costs`, MODEL)} AS costs${x}, ${memberNamed(sql`told`, MODEL)} AS told${x}`,
  )}
  FROM (SELECT trial_key, evaluation_key, ${jsonColumns((x) => sql`usage${x}, costs${x}, told${x}`)},
      ${unnested(memberNames([sql`usage`, sql`costs`, sql`told`]))} AS model
    FROM call_usage WHERE stated IS NULL))`;

/** Numbers of the usage of a model, as arguments of a function. */
function used(...names: readonly string[]): Sql {
  return join(
    names.map((name) => amountAt(sql`m.usage`, `/${name}`)),
    sql`, `,
  );
}

const STATED = [
  "prompt_tokens",
  "completion_tokens",
  "cache_read_input_tokens",
  "cache_creation_input_tokens",
];

/** The sum of the costs that a call states of one model; null where it states none. */
function statedCost(costs: Sql): Sql {
  const amounts = STATED.map((name) => amountAt(costs, `/${name}_total_cost`));
  const known = amounts.map((one) => sql`coalesce(${one}, 0)`);
  return sql`CASE WHEN coalesce(${join(amounts, sql`, `)}) IS NOT NULL THEN ${join(known, sql` + `)} END`;
}

/** (…, carried, price, input, output): what a call says of one model. */
function modelCosts(): Sql {
  const computed = sql`${statedCost(sql`m.costs`)}, ${statedCost(sql`m.told`)}`;
  return sql`model_costs AS MATERIALIZED (
    SELECT trial_key, evaluation_key, model, carried, input_price IS NOT NULL AS has_price,
      CASE WHEN cost < 1e300 THEN cost END AS cost
    FROM (SELECT *, coalesce(carried, (input * input_price + output * output_price) / 1e6) AS cost FROM (SELECT m.trial_key, m.evaluation_key, ${named(sql`m.model`, MODEL)},
        coalesce(${computed}, ${used("cost", "total_cost")}) AS carried,
        coalesce(${used("prompt_tokens", "input_tokens")}) AS input,
        coalesce(${used("completion_tokens", "output_tokens")}) AS output,
        p.input AS input_price, p.output AS output_price
      FROM model_usage AS m LEFT JOIN prices AS p ON p.model = m.model)))`;
}

/** (trial_key, evaluation_key, cost, carried): the trials with a cost, which is the sum over all models of the call. */
const TRIAL_COSTS = sql`trial_costs AS (
  SELECT trial_key, evaluation_key, stated AS cost, true AS carried FROM using_calls WHERE stated IS NOT NULL
  UNION ALL SELECT trial_key, evaluation_key, ${exactSum(sql`cost`)}, count(carried) = count(*)
    FROM model_costs GROUP BY ALL HAVING count(cost) = count(*))`;

/**
 * The costs of each evaluation, and the models that leave trials without one. What a call carries counts before prices:
 * `output.cost_usd` of the trial, then `summary.weave.costs`, `summary.costs`, `cost` or `total_cost` of its usage.
 */
export function compileCosts(plan: Plan, narrowing: Narrowing, prices: PriceList): Query<EvaluationCosts> {
  const known = select(
    {
      evaluationKey: column.integer(sql`evaluation_key`),
      model: nullable(column.text(sql`NULL::VARCHAR`)),
      trials: column.integer(sql`count(*)`),
      carried: column.integer(filtered(sql`count(*)`, sql`carried`)),
      unsplit: column.integer(sql`0`),
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

/** `trial_costs` and what it is made of, for the trials of the selected rows for which `among` holds, which begins with AND. */
export function costTables(plan: Plan, prices: PriceList, selectedJoin: Sql, among: Sql): readonly Sql[] {
  return [
    priceTable(prices),
    usingCalls(plan, selectedJoin, among),
    CALL_USAGE,
    MODEL_USAGE,
    modelCosts(),
    TRIAL_COSTS,
  ];
}

/** The costs of the trials of some rows, and the models that leave trials without one. */
export function compileTrialCosts(plan: Plan, prices: PriceList, rowKeys: readonly Key[]): Query<TrialCost> {
  const known = select(
    {
      trialKey: column.key(sql`trial_key`),
      model: nullable(column.text(sql`NULL::VARCHAR`)),
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
