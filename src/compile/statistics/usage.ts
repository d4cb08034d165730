import type { Plan } from "../../plan/plan.ts";
import { column, nullable, query, select } from "../../store/query.ts";
import { constant, EMPTY, join, sql } from "../../store/sql.ts";
import { inKeys } from "../relations/relations.ts";
import { withTables, type Narrowing } from "../rows/selected-rows.ts";
import { integerOrNull, median, wideSum } from "../relations/spelled.ts";

/** Thousandths, since counts may be fractions, and sums of doubles depend on the order of their terms. */
export const TOKEN_PARTS = 1000;

/**
 * Rows, latency and tokens of the selected trials of each evaluation, or of those with one owner: `owners` has a key
 * for each.
 */
export function compileUsage(plan: Plan, narrowing: Narrowing, owners?: ReadonlyMap<number, number>) {
  const own = plan.includeChildren ? EMPTY : sql`own_`;
  const tokens = integerOrNull(sql`${own}total_tokens * 1000`);
  const cases = [...(owners ?? [])].map(
    ([key, owner]) => sql` WHEN ${constant(key)} THEN ${constant(owner)}`,
  );
  const key =
    cases.length === 0 ? sql`evaluation_key` : sql`CASE evaluation_key${join(cases, EMPTY)} ELSE -1 END`;
  const usage = select(
    {
      evaluationKey: column.integer(key),
      rows: column.integer(sql`count(DISTINCT row_key)`),
      timedTrials: column.integer(sql`count(${own}latency_seconds)`),
      /** Median over the trials with a latency, in seconds; null without one. */
      latency: nullable(column.double(median(sql`${own}latency_seconds`))),
      countedTrials: column.integer(sql`count(${tokens})`),
      /** Sum over the trials with a count of tokens, as whole thousandths. */
      tokens: column.bigint(sql`coalesce(${wideSum(tokens)}, 0)`),
    },
    sql` FROM trials${narrowing.selectedJoin}
    WHERE ${inKeys(sql`evaluation_key`, plan.evaluationKeys)} GROUP BY ${key}`,
  );
  return query("usage", usage, sql`${withTables(narrowing.tables)}${usage.sql}`);
}
