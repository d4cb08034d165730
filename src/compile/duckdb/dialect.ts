import { constant, sql, type Dialect, type Sql } from "../../store/sql.ts";
import { exactSum } from "./exact-sum.ts";

export const DUCKDB: Dialect = {
  parameter: (number) => `$${number}`,
  roundToInteger: (number) => sql`CAST(${number} AS BIGINT)`,
  wideSum: (integer) => sql`sum(${integer})`,
  wide: (integer) => sql`${integer}::HUGEINT`,
  divideIntegers: (dividend, divisor) => sql`${dividend} // ${divisor}`,
  exactSum,
  highBits: (integer, bits) => sql`(${integer} >> ${constant(bits)})`,
  lowBits: (integer, bits) => sql`(${integer} & ${lowMask(bits)})`,
  bind: (value, name, body) => sql`list_transform([${value}], lambda ${name}: ${body})[1]`,
};

/** A constant of more bits than an INTEGER has becomes a double. */
const INTEGER_BITS = 31;

function lowMask(bits: number): Sql {
  if (bits <= INTEGER_BITS) return constant(2 ** bits - 1);
  const half = constant(2 ** (bits / 2));
  return sql`(${half}::HUGEINT * ${half} - 1)`;
}
