/*
 * Sums that do not depend on the order of their terms, whatever the threads. A double becomes an integer multiple of a
 * power of two, called a word; words add up exactly, in HUGEINT where they are many; the sum is rounded to a double
 * once.
 *
 * | summands | representation | error |
 * |---|---|---|
 * | numbers of few bits (`plain`) | doubles | none |
 * | means to sort by (`exact-mean.ts`) | one word, two, or digits (`exactSum`) | none |
 * | scores of a summary (`score-sums.ts`) | the same | 1e-12 of the mean of the absolute values; none for digits |
 * | row values, their squares (`fixed-point.ts`, `squares.ts`) | one word, square in parts | 2^-62 of the largest |
 * | products of a correlation (`scaled-sum.ts`) | one word, of a scale that SQL finds | 2^-60 of the largest |
 *
 * The last two errors are those of each value, relative to the largest value.
 */

/** Bits of the significand of a double. */
export const DOUBLE_BITS = 53;

/** A sum of 2^30 values of this many bits has at most {@link DOUBLE_BITS} bits. */
export const PLAIN_BITS = 23;

/** The largest binary exponent of a word; with its sign it fits BIGINT. */
export const WORD_BITS = 61;

/** Bits of the second word, where one is too short; it begins at the end of the first, of {@link DOUBLE_BITS} bits. */
export const LOW_BITS = 50;

/** Bits of half a word: products of halves fit BIGINT. */
export const HALF_BITS = 31;

/** Bits of the lower part of a sum of words over a cluster; sums of products of parts over all clusters fit HUGEINT. */
export const CLUSTER_BITS = 40;

/** A value rounded to this many significant bits is off by less than 1e-12 of it. */
export const PRECISION_BITS = 41;

/** The largest exponent of a power of two that is written as a double. */
export const MAX_SHIFT = 1000;
