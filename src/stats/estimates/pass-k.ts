import { check, checkCount } from "../numeric/arguments.ts";

/**
 * The chance that at least one of k trials passes, from c passes in n trials: 1 − C(n − c, k)/C(n, k), the
 * unbiased estimator of Chen et al. 2021, arXiv 2107.03374. null for n < k. Average it over rows.
 */
export function passAtK(n: number, c: number, k: number): number | null {
  checkCount("n", n);
  checkCount("c", c);
  const noneOfK = shareOfDraws(n, n - c, k);
  return noneOfK === null ? null : 1 - noneOfK;
}

/**
 * pass^k, the chance that all of k trials pass: C(c, k)/C(n, k), Yao et al. 2024 (τ-bench), arXiv 2406.12045.
 * null for n < k.
 */
export function passHatK(n: number, c: number, k: number): number | null {
  return shareOfDraws(n, c, k);
}

/** C(m, k)/C(n, k): the share of draws of k out of n that fall into m of them. */
function shareOfDraws(n: number, m: number, k: number): number | null {
  checkCount("n", n);
  check(Number.isSafeInteger(m) && m >= 0 && m <= n, `c to be a whole number from 0 to n = ${n}`);
  checkCount("k", k, 1);
  if (n < k) return null;
  if (m < k) return 0;
  let share = 1;
  for (let i = 0; i < k; i += 1) share *= (m - i) / (n - i);
  return share;
}
