import { constant, sql, type Sql } from "../../store/sql.ts";
import type { Exponents } from "../../plan/plan.ts";
import { roundToInteger, wideSum, wide, exactSum } from "../relations/spelled.ts";
import { DOUBLE_BITS, LOW_BITS, MAX_SHIFT, PLAIN_BITS, WORD_BITS } from "./words.ts";

/**
 * How numbers are summed. Plain: they use so few bits that a double holds any sum of them. One word: value · scale is
 * a word. Two words: a high part of {@link DOUBLE_BITS} bits, and the remainder times 2^{@link LOW_BITS}. Digits: any
 * numbers, or numbers of which nothing is known.
 */
type SumMethod =
  | { readonly kind: "plain" }
  | { readonly kind: "one word"; readonly scale: number }
  | { readonly kind: "two words"; readonly scale: number }
  | { readonly kind: "digits" };

/** Whether doubles add up without any rounding, in any order. */
export function addsUpPlainly(exponents: Exponents | null): boolean {
  return exponents === null || exponents.max - exponents.lowBit < PLAIN_BITS;
}

/** The method whose means of any of these values are as if summed exactly. */
export function exactMethod(exponents: Exponents | null): SumMethod {
  if (exponents === null || addsUpPlainly(exponents)) return { kind: "plain" };
  const { max, lowBit } = exponents;
  const width = max - lowBit + 1;
  if (width <= WORD_BITS && Math.abs(lowBit) < MAX_SHIFT) return { kind: "one word", scale: 2 ** -lowBit };
  const shift = twoWordShift(exponents);
  if (width < DOUBLE_BITS + LOW_BITS && Math.abs(shift) < MAX_SHIFT)
    return { kind: "two words", scale: 2 ** shift };
  return { kind: "digits" };
}

/** The exponent of the power of two that makes the largest number an integer of {@link DOUBLE_BITS} bits. */
export function twoWordShift({ max }: Exponents): number {
  return DOUBLE_BITS - 1 - max;
}

/** The mean of `number` over a group; null where the group has no number. */
export function exactMean(number: Sql, method: SumMethod): Sql {
  switch (method.kind) {
    case "plain":
      return sql`avg(${number})`;
    case "one word": {
      const scale = constant(method.scale);
      return sql`nearest_double(${wideSum(roundToInteger(sql`${number} * ${scale}`))}) / ${scale} / count(${number})`;
    }
    case "two words": {
      const scale = constant(method.scale);
      const low = constant(2 ** LOW_BITS);
      const high = sql`trunc(${number} * ${scale})`;
      const rest = sql`(${number} * ${scale} - ${high}) * ${low}`;
      return sql`nearest_double(${wide(wideSum(roundToInteger(high)))} * ${constant(2 ** (LOW_BITS / 2))} * ${constant(2 ** (LOW_BITS / 2))}
        + ${wide(wideSum(roundToInteger(rest)))})
        / ${low} / ${scale} / count(${number})`;
    }
    case "digits":
      return sql`${exactSum(number)} / count(${number})`;
  }
}
