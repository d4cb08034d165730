import { TEXT } from "../../model/score-kind.ts";
import type { PlannedSide } from "../../plan/agreement-plan.ts";
import type { Plan, VirtualLeaf } from "../../plan/plan.ts";
import { column, nullable, query, select } from "../../store/query.ts";
import { constant, sql, type Sql } from "../../store/sql.ts";
import { inKeys, scoreScope } from "../relations/relations.ts";
import { filtered, roundToInteger, wideSum } from "../relations/spelled.ts";
import { type Narrowing, withTables } from "../rows/selected-rows.ts";
import { scoreValues } from "../scores/score-records.ts";
import { sideValues } from "../scores/side-records.ts";
import { sumScale } from "../sums/scaled-sum.ts";

/** Those of some dimensions whose values in the evaluations of a plan are true and false, or 0 and 1, alone. */
export function compileTruths(plan: Plan, pathKeys: readonly number[]) {
  const others = sql`kind = ${constant(TEXT)} OR number IS NULL OR number NOT IN (0, 1)`;
  const truths = select(
    { pathKey: column.integer(sql`path_key`) },
    sql` FROM ${scoreValues(plan, null, pathKeys)}
    WHERE ${inKeys(sql`path_key`, pathKeys)} AND ${inKeys(sql`evaluation_key`, plan.evaluationKeys)}
      ${scoreScope(plan, sql`scores`)}
    GROUP BY path_key HAVING count(CASE WHEN ${others} THEN 1 END) = 0`,
  );
  return query("truths", truths);
}

/** Counts the rows of each evaluation with so many trials that have a value of a success, so many of them passed. */
export function compileSuccessRows(plan: Plan, success: PlannedSide, { tables, selectedJoin }: Narrowing) {
  const byRow = sql`SELECT evaluation_key, row_key, count(*) AS trials, sum(value) AS passed
    FROM (${sideValues(plan, success, selectedJoin, false)}) GROUP BY evaluation_key, row_key`;
  const rows = select(
    {
      evaluationKey: column.integer(sql`evaluation_key`),
      trials: column.integer(sql`trials`),
      passed: column.integer(sql`passed`),
      rows: column.integer(sql`count(*)`),
    },
    sql` FROM (${byRow}) GROUP BY evaluation_key, trials, passed ORDER BY evaluation_key, trials, passed`,
  );
  return query("rows of a success", rows, sql`${withTables(tables)}${rows.sql}`);
}

/** Counts trials by why they stopped and by what a success says; null where they say nothing. */
export function compileStopReasons(
  plan: Plan,
  success: PlannedSide | null,
  { tables, selectedJoin }: Narrowing,
) {
  const trials = sql`SELECT evaluation_key, trial_key, stop_reason FROM trials${selectedJoin}
    WHERE ${inKeys(sql`evaluation_key`, plan.evaluationKeys)}`;
  const passed =
    success === null
      ? sql`SELECT evaluation_key, stop_reason, NULL::DOUBLE AS passed FROM (${trials})`
      : sql`SELECT t.evaluation_key AS evaluation_key, t.stop_reason AS stop_reason, s.value AS passed
      FROM (${trials}) AS t LEFT JOIN (${sideValues(plan, success, sql``, false)}) AS s ON s.trial_key = t.trial_key`;
  const counts = select(
    {
      evaluationKey: column.integer(sql`evaluation_key`),
      reason: nullable(column.text(sql`stop_reason`)),
      passed: nullable(column.double(sql`passed`)),
      trials: column.integer(sql`count(*)`),
    },
    sql` FROM (${passed}) GROUP BY evaluation_key, stop_reason, passed`,
  );
  return query("stop reasons", counts, sql`${withTables(tables)}${counts.sql}`);
}

/** The unit of the squares of {@link compileSpending}: 1 is so many. */
export const SQUARE = 2 ** 60;

/** The tables `by_row` and `totals`, of what trials took in each of some quantities. */
function spendingTables(
  plan: Plan,
  success: PlannedSide,
  leaves: readonly VirtualLeaf[],
  selectedJoin: Sql,
): readonly Sql[] {
  const keys = leaves.map(({ key }) => key);
  const used = scoreValues({ ...plan, virtualLeaves: leaves }, null, keys);
  const spent = sql`spent AS MATERIALIZED (SELECT u.path_key AS path_key, u.evaluation_key AS evaluation_key,
      u.row_key AS row_key, u.number AS x, s.value AS passed
    FROM (SELECT path_key, evaluation_key, row_key, trial_key, number FROM ${used}${selectedJoin}) AS u
      LEFT JOIN (${sideValues(plan, success, sql``, false)}) AS s ON s.trial_key = u.trial_key)`;
  const words = wideSum(roundToInteger(sql`x * scale_x`));
  const passed = filtered(sql`count(*)`, sql`passed = 1`);
  const byRow = sql`by_row AS MATERIALIZED (SELECT spent.path_key AS path_key, evaluation_key, row_key,
      any_value(scale_x) AS scale, ${words} AS row_words, ${passed} AS row_successes, count(*) AS row_trials
    FROM spent JOIN scales ON scales.path_key = spent.path_key GROUP BY spent.path_key, evaluation_key, row_key)`;
  const totals = sql`totals AS MATERIALIZED (SELECT path_key, evaluation_key,
      nearest_double(${wideSum(sql`row_words`)}) AS words, sum(row_successes)::DOUBLE AS successes,
      sum(row_trials) AS trials, count(*) AS row_count,
      ${filtered(sql`count(*)`, sql`row_successes > 0`)} AS succeeded
    FROM by_row GROUP BY path_key, evaluation_key)`;
  const scales = sql`scales AS MATERIALIZED (SELECT path_key, ${sumScale("x")} FROM spent GROUP BY path_key)`;
  return [spent, scales, byRow, totals];
}

/** What trials took, in each of `leaves`, beside how many of them passed; by evaluation, over its rows. */
export function compileSpending(
  plan: Plan,
  success: PlannedSide,
  leaves: readonly VirtualLeaf[],
  { tables, selectedJoin }: Narrowing,
) {
  // A row's part of all that was taken less its part of all successes; beyond 2 only where something took less than 0.
  const apart = sql`(CASE WHEN words <> 0 AND successes > 0
      THEN nearest_double(row_words) / words - row_successes / successes ELSE 0 END)`;
  const square = roundToInteger(sql`least(4, ${apart} * ${apart}) * ${constant(SQUARE)}`);
  const found = select(
    {
      evaluationKey: column.integer(sql`t.evaluation_key`),
      pathKey: column.integer(sql`t.path_key`),
      total: column.double(sql`any_value(words / scale)`),
      successes: column.integer(sql`any_value(successes)`),
      trials: column.integer(sql`any_value(trials)`),
      rows: column.integer(sql`any_value(row_count)`),
      /** Rows with a success. */
      succeeded: column.integer(sql`any_value(succeeded)`),
      squares: column.double(sql`nearest_double(${wideSum(square)})`),
    },
    sql` FROM by_row AS r JOIN totals AS t ON t.path_key = r.path_key AND t.evaluation_key = r.evaluation_key
    GROUP BY t.evaluation_key, t.path_key`,
  );
  return query(
    "spending",
    found,
    sql`${withTables([...tables, ...spendingTables(plan, success, leaves, selectedJoin)])}${found.sql}`,
  );
}
