import { constant, sql, type Sql } from "../../store/sql.ts";
import type { Exponents, MovePlan, Plan } from "../../plan/plan.ts";
import { exactMean } from "../sums/exact-mean.ts";
import { MAX_SHIFT, WORD_BITS } from "../sums/words.ts";
import { numbersOf } from "./trial-numbers.ts";
import { roundToInteger, wideSum, wide, divideIntegers, NO_ROW_KEY, filtered } from "../relations/spelled.ts";

const NO_ROW = sql`SELECT ${NO_ROW_KEY} AS row_key WHERE false`;

/** (row_key): the rows whose mean in one evaluation differs from that in the baseline, or in any other. */
export function movedRows(plan: Plan, moved: MovePlan): Sql {
  if (!moved.possible || plan.evaluationKeys.length < 2) return NO_ROW;
  const means = rowMeans(plan, moved);
  return means === null
    ? NO_ROW
    : sql`SELECT row_key FROM (${means}) GROUP BY row_key HAVING ${condition(moved)}`;
}

function condition({ baselineKey, direction }: MovePlan): Sql {
  if (baselineKey === null) return sql`min(mean) <> max(mean)`;
  const baseline = constant(baselineKey);
  const own = filtered(sql`min(mean)`, sql`evaluation_key = ${baseline}`);
  const least = sql`${filtered(sql`min(mean)`, sql`evaluation_key <> ${baseline}`)} < ${own}`;
  const most = sql`${filtered(sql`max(mean)`, sql`evaluation_key <> ${baseline}`)} > ${own}`;
  switch (direction) {
    case "up":
      return most;
    case "down":
      return least;
    case "any":
      return sql`${least} OR ${most}`;
  }
}

/** (row_key, evaluation_key, mean), one record for each row and evaluation with a number; null where there is none. */
function rowMeans(plan: Plan, { field, repeated }: MovePlan): Sql | null {
  const numbers = numbersOf(plan, field);
  if (numbers === null) return null;
  if (!repeated)
    return sql`SELECT row_key, evaluation_key, number AS mean FROM ${numbers} AND number IS NOT NULL`;
  const mean = comparableMean(field.kind === "leaf" ? field.exponents : undefined);
  return sql`SELECT row_key, evaluation_key, ${mean} AS mean FROM ${numbers} AND number IS NOT NULL
    GROUP BY row_key, evaluation_key`;
}

/** Means that differ by less than a unit of 2^-{@link FRACTION_BITS} of the lowest bit of all numbers count as equal. */
const FRACTION_BITS = 32;

/**
 * A mean that is the same for the same numbers, however many trials have them: a rounded sum divided by different counts
 * is not. Where the numbers fit words, it is their mean as a whole multiple of a small power of two; else, and where
 * `exponents` is undefined because nothing is known of the numbers, it is a double.
 */
function comparableMean(exponents: Exponents | null | undefined): Sql {
  const width =
    exponents === undefined ? Infinity : exponents === null ? 1 : exponents.max - exponents.lowBit + 1;
  const lowBit = exponents?.lowBit ?? 0;
  if (width > WORD_BITS || Math.abs(lowBit) >= MAX_SHIFT)
    return sql`CASE WHEN min(number) = max(number) THEN min(number) ELSE ${exactMean(sql`number`, { kind: "digits" })} END`;
  const words = wide(wideSum(roundToInteger(sql`number * ${constant(2 ** -lowBit)}`)));
  const fine = sql`(${words} * ${constant(2 ** (FRACTION_BITS / 2))} * ${constant(2 ** (FRACTION_BITS / 2))})`;
  return divideIntegers(fine, sql`count(*)`);
}
