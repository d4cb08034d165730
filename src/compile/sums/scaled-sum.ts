import { constant, identifier, sql, type Sql } from "../../store/sql.ts";
import { roundToInteger, wideSum } from "../relations/spelled.ts";
import { MAX_SHIFT, WORD_BITS } from "./words.ts";

/**
 * The power of two that {@link scaledSum} multiplies the values of a column by, so that the largest has {@link
 * WORD_BITS} bits; 1 where all are 0. A sum is then off by at most 2^-60 of the largest for each value, and the same in
 * any order.
 */
export function sumScale(name: string): Sql {
  const most = sql`max(abs(${identifier(name)}))`;
  const exponent = sql`least(${constant(MAX_SHIFT)}, greatest(${constant(-MAX_SHIFT)}, ${constant(WORD_BITS - 1)} - floor(log2(${most}))))`;
  return sql`CASE WHEN ${most} > 0 THEN pow(2, ${exponent}) ELSE 1 END AS ${identifier(`scale_${name}`)}`;
}

/** The sum of a column, with the scale that {@link sumScale} selected. */
export function scaledSum(name: string): Sql {
  const scale = identifier(`scale_${name}`);
  return sql`(nearest_double(coalesce(${wideSum(roundToInteger(sql`${identifier(name)} * ${scale}`))}, 0)) / any_value(${scale}))`;
}
