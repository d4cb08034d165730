import type { Plan, Prices } from "../../plan/plan.ts";
import type { PriceList } from "../../request/wire.ts";
import { constant, double, identifier, join, sql, text, type Sql } from "../../store/sql.ts";
import { inKeys } from "../relations/relations.ts";
import {
  amountAt,
  exactSum,
  jsonColumns,
  lastBy,
  memberNamed,
  memberNames,
  named,
  relationOf,
  summaryOf,
  unnested,
} from "../relations/spelled.ts";

/** Which trials cost something. */
type CostScope = Pick<Plan, "projectId" | "projectKey" | "evaluationKeys" | "includeChildren">;

/** (model, input, output): the prices of a request, of a million tokens; no record without prices. */
function givenPrices(prices: PriceList): Sql {
  const records = Object.entries(prices).map(([model, { input, output }]) => [
    sql`${text(model)}`,
    sql`${double(input)}`,
    sql`${double(output)}`,
  ]);
  if (records.length === 0)
    return sql`given_prices AS (SELECT '' AS model, 0::DOUBLE AS input, 0::DOUBLE AS output WHERE false)`;
  return relationOf(sql`given_prices`, [sql`model`, sql`input`, sql`output`], records);
}

/** Before and after every time. */
const EVER = constant(-(2n ** 62n));
const NEVER = constant(2n ** 62n);

const ORDER = sql`effective_date, created_at, id`;
const SUMS = ["prompt", "completion", "cache_read", "cache_creation"].map(identifier);

/**
 * (model, unit, prompt, completion, cache_read, cache_creation, since, until): what so many tokens cost from a time on.
 * The prices of a request count before those of the project, of which the latest of all holds before the first, too.
 */
function priceTables(projectId: string, prices: Prices): Sql[] {
  const among = prices === "stated" ? sql`false` : sql`project_id = ${text(projectId)}`;
  const latest = SUMS.map((name) => sql`${lastBy(name, ORDER)} AS ${name}`);
  return [
    givenPrices(prices === "stated" ? {} : prices),
    sql`own_prices AS (SELECT * FROM model_prices
      WHERE ${among} AND model NOT IN (SELECT model FROM given_prices))`,
    sql`prices AS (SELECT *, lead(since, 1, ${NEVER}) OVER (PARTITION BY model ORDER BY since) AS until FROM (
      SELECT model, 1e6::DOUBLE AS unit, input AS prompt, output AS completion, 0::DOUBLE AS cache_read,
        0::DOUBLE AS cache_creation, ${EVER} AS since FROM given_prices
      UNION ALL SELECT model, 1::DOUBLE AS unit, ${join(latest)}, since
      FROM (SELECT *, effective_date AS since FROM own_prices UNION ALL SELECT *, ${EVER} AS since FROM own_prices)
      GROUP BY model, since))`,
  ];
}

/** (trial_key, evaluation_key, call_key, stated): the call whose usage counts, and the cost in the trial's output. */
function usingCalls(plan: CostScope, selectedJoin: Sql, among: Sql): Sql {
  const stated = amountAt(sql`t.output`, "/cost_usd");
  const trials = sql`FROM trials AS t${selectedJoin}`;
  const scope = sql`${inKeys(sql`t.evaluation_key`, plan.evaluationKeys)}${among}`;
  if (!plan.includeChildren)
    return sql`using_calls AS MATERIALIZED (SELECT t.trial_key, t.evaluation_key, t.trial_key AS call_key, ${stated} AS stated
      ${trials} WHERE ${scope})`;
  const project = constant(plan.projectKey);
  // The trials come first: else all of the project are hashed.
  return sql`using_calls AS MATERIALIZED (SELECT t.trial_key, t.evaluation_key, t.stated,
      CASE WHEN t.predict_call_id IS NULL THEN t.trial_key ELSE p.call_key END AS call_key
    FROM (SELECT t.trial_key AS trial_key, t.evaluation_key AS evaluation_key, t.predict_call_id AS predict_call_id,
        ${stated} AS stated
      ${trials} WHERE ${scope}) AS t
    LEFT JOIN calls AS p ON p.id_hash = md5_number_lower(concat(${project}, ':', t.predict_call_id))
      AND p.id = t.predict_call_id AND p.project_key = ${project} AND NOT p.hidden)`;
}

/** (…, start, usage, costs, told): when each call began, and what it says by model, as JSON objects. */
const CALL_USAGE = sql`call_usage AS (
  SELECT u.trial_key, u.evaluation_key, u.stated, coalesce(c.started_at, ${EVER}) AS start, ${jsonColumns(
    (x) => sql`${summaryOf(sql`c.record`, "usage")} AS usage${x},
    ${summaryOf(sql`c.record`, "weave/costs")} AS costs${x}, ${summaryOf(sql`c.record`, "costs")} AS told${x}`,
  )}
  FROM using_calls AS u LEFT JOIN calls AS c ON c.call_key = u.call_key)`;

const MODEL = sql`model`;

/** (…, start, model, usage, costs, told): one record a model of a call, none for a call without. */
const MODEL_USAGE = sql`model_usage AS (
  SELECT trial_key, evaluation_key, start, model, ${jsonColumns(
    (x) => sql`${memberNamed(sql`usage`, MODEL)} AS usage${x},
    ${memberNamed(sql`costs`, MODEL)} AS costs${x}, ${memberNamed(sql`told`, MODEL)} AS told${x}`,
  )}
  FROM (SELECT trial_key, evaluation_key, start, ${jsonColumns((x) => sql`usage${x}, costs${x}, told${x}`)},
      ${unnested(memberNames([sql`usage`, sql`costs`, sql`told`]))} AS model
    FROM call_usage WHERE stated IS NULL))`;

/** Numbers of the usage of a model, as arguments of a function. */
function used(...names: readonly string[]): Sql {
  return join(names.map((name) => amountAt(sql`m.usage`, `/${name}`)));
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
  return sql`CASE WHEN coalesce(${join(amounts)}) IS NOT NULL THEN ${join(known, sql` + `)} END`;
}

/** What tokens of a cache cost, of which a usage need not tell any. */
function cached(kind: "read" | "creation"): Sql {
  const price = sql`p.${identifier(`cache_${kind}`)}`;
  return sql`CASE WHEN ${price} > 0 THEN coalesce(${used(`cache_${kind}_input_tokens`)}, 0) * ${price} ELSE 0 END`;
}

/** (…, carried, has_price, cost): what a call costs of one model. */
function modelCosts(): Sql {
  const computed = sql`${statedCost(sql`m.costs`)}, ${statedCost(sql`m.told`)}`;
  return sql`model_costs AS MATERIALIZED (
    SELECT trial_key, evaluation_key, model, carried, has_price, CASE WHEN cost < 1e300 THEN cost END AS cost
    FROM (SELECT *, coalesce(carried, priced) AS cost FROM (SELECT m.trial_key, m.evaluation_key, ${named(sql`m.model`, MODEL)},
        p.unit IS NOT NULL AS has_price, coalesce(${computed}, ${used("cost", "total_cost")}) AS carried,
        (coalesce(${used("prompt_tokens", "input_tokens")}) * p.prompt
          + coalesce(${used("completion_tokens", "output_tokens")}) * p.completion
          + ${cached("read")} + ${cached("creation")}) / p.unit AS priced
      FROM model_usage AS m LEFT JOIN prices AS p ON p.model = m.model AND m.start >= p.since AND m.start < p.until)))`;
}

/** (trial_key, evaluation_key, cost, carried): the trials with a cost, which is the sum over all models of the call. */
const TRIAL_COSTS = sql`trial_costs AS (
  SELECT trial_key, evaluation_key, stated AS cost, true AS carried FROM using_calls WHERE stated IS NOT NULL
  UNION ALL SELECT trial_key, evaluation_key, ${exactSum(sql`cost`)}, count(carried) = count(*)
    FROM model_costs GROUP BY ALL HAVING count(cost) = count(*))`;

/**
 * `trial_costs` and what it is made of, for the trials of the selected rows for which `among` holds, which begins with
 * AND.
 */
export function costTables(plan: CostScope, prices: Prices, selectedJoin: Sql, among: Sql): readonly Sql[] {
  return [
    ...priceTables(plan.projectId, prices),
    usingCalls(plan, selectedJoin, among),
    CALL_USAGE,
    MODEL_USAGE,
    modelCosts(),
    TRIAL_COSTS,
  ];
}
