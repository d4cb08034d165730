import { constant, sql, type Sql } from "../../store/sql.ts";
import type { Exponents } from "../../plan/plan.ts";

/**
 * Sums that do not depend on the order of their terms, whatever the threads: each double becomes an integer
 * multiple of a power of two, integers add up exactly, and the total is turned back once.
 *
 * Plain: so few bits are in use that a double holds any sum of them. One word: value · 2^k fits 63 bits.
 * Two words: a high part of 53 bits and a low part of 50 below it.
 */
export type SumMethod =
  | { readonly kind: "plain" }
  | { readonly kind: "one word"; readonly scale: number }
  | { readonly kind: "two words"; readonly scale: number }
  | { readonly kind: "ordered" };

const LOW_WORD = 2 ** 50;

/** A sum of 2^30 values of so many bits has at most 53. */
const PLAIN_BITS = 23;

/** Whether doubles add up without any rounding, in whatever order. */
export function addsUpPlainly(exponents: Exponents | null): boolean {
  return exponents === null || exponents.max - exponents.lowBit < PLAIN_BITS;
}

/** The method by which means of any of these values come out as if summed exactly. */
export function exactMethod(exponents: Exponents | null): SumMethod {
  if (exponents === null || addsUpPlainly(exponents)) return { kind: "plain" };
  const { max, lowBit } = exponents;
  const width = max - lowBit + 1;
  if (width <= 61 && -lowBit < 1000 && -lowBit > -1000) return { kind: "one word", scale: 2 ** -lowBit };
  if (width <= 102 && Math.abs(52 - max) < 1000) return { kind: "two words", scale: 2 ** (52 - max) };
  return { kind: "ordered" };
}

/** The mean of `number` over a group, null when there is none. */
export function exactMean(number: Sql, method: SumMethod): Sql {
  switch (method.kind) {
    case "plain":
      return sql`sum(${number}) / count(${number})`;
    case "one word": {
      const scale = constant(method.scale);
      return sql`CAST(sum(CAST(${number} * ${scale} AS BIGINT)) AS DOUBLE) / ${scale} / count(${number})`;
    }
    case "two words": {
      const scale = constant(method.scale);
      const low = constant(LOW_WORD);
      const high = sql`trunc(${number} * ${scale})`;
      return sql`CAST(sum(CAST(${high} AS BIGINT))::HUGEINT * ${constant(2 ** 25)} * ${constant(2 ** 25)}
        + sum(CAST((${number} * ${scale} - ${high}) * ${low} AS BIGINT))::HUGEINT AS DOUBLE)
        / ${low} / ${scale} / count(${number})`;
    }
    case "ordered":
      return sql`fsum(${number} ORDER BY ${number}) / count(${number})`;
  }
}
