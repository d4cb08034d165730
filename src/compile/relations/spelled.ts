import { sql, type Dialect, type Sql } from "../../store/sql.ts";

/* What databases spell differently, as SQL: each function is the member of `Dialect` of its name. */

function spelled(spell: (dialect: Dialect) => Sql): Sql {
  return sql`${{ spell }}`;
}

export function roundToInteger(number: Sql): Sql {
  return spelled((dialect) => dialect.roundToInteger(number));
}

export function wideSum(integer: Sql): Sql {
  return spelled((dialect) => dialect.wideSum(integer));
}

export function wide(integer: Sql): Sql {
  return spelled((dialect) => dialect.wide(integer));
}

export function divideIntegers(dividend: Sql, divisor: Sql): Sql {
  return spelled((dialect) => dialect.divideIntegers(dividend, divisor));
}

export function exactSum(number: Sql): Sql {
  return spelled((dialect) => dialect.exactSum(number));
}

export function highBits(integer: Sql, bits: number): Sql {
  return spelled((dialect) => dialect.highBits(integer, bits));
}

export function lowBits(integer: Sql, bits: number): Sql {
  return spelled((dialect) => dialect.lowBits(integer, bits));
}

export function bind(value: Sql, name: Sql, body: Sql): Sql {
  return spelled((dialect) => dialect.bind(value, name, body));
}
