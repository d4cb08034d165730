/*
 * Sums that do not depend on the order of their terms, whatever the threads: a double becomes an integer multiple of a
 * power of two, a word; words add up exactly, in HUGEINT where they are many; the sum is turned back once.
 *
 * | what is summed | representation | error |
 * |---|---|---|
 * | numbers of few bits (`plain`) | doubles | none |
 * | means to sort by (`exact-mean.ts`) | one word, two, or doubles in sorted order | none; of the last, that of `fsum` |
 * | scores of a summary (`score-sums.ts`) | the same | 1e-12 of the mean of the absolute values |
 * | values of rows and their squares (`fixed-point.ts`, `squares.ts`) | one word, its square in parts | 2^-62 of the largest, each value |
 * | products of a correlation (`scaled-sum.ts`) | one word, of a scale that SQL finds | 2^-60 of the largest, each value |
 */

/** Of the significand of a double. */
export const DOUBLE_BITS = 53;

/** A sum of 2^30 values of so many bits has at most {@link DOUBLE_BITS}. */
export const PLAIN_BITS = 23;

/** The largest binary exponent of a word, so that it fits BIGINT with its sign. */
export const WORD_BITS = 61;

/** Of the second word, where one is too short: it begins where the first one, of {@link DOUBLE_BITS}, ends. */
export const LOW_BITS = 50;

/** Of half a word: products of halves fit BIGINT. */
export const HALF_BITS = 31;

/** Of the lower part of a sum of words over a cluster: products of parts, over all clusters, fit HUGEINT. */
export const CLUSTER_BITS = 40;

/** A value of so many significant bits is off by less than 1e-12 of it. */
export const PRECISION_BITS = 41;

/** No power of two beyond is written as a double. */
export const MAX_SHIFT = 1000;
