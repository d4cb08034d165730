import { checkCount, checkObject, unknownChoice } from "../numeric/arguments.ts";
import { binomialCdf, chiSquareSurvival } from "../numeric/distributions.ts";

export type McnemarMethod = "exact" | "mid-p" | "chi-square" | "chi-square-cc";

export interface TestResult {
  /** Two-sided p value. */
  readonly p_value: number;
  readonly statistic?: number;
}

/**
 * McNemar's test of paired 0/1 outcomes, one per row: `b` rows where only the first run is right, `c` where only the
 * second is right. "exact" (default): min(1, 2 P(X ≤ min(b, c))) with X ~ Binomial(b + c, ½); "mid-p": 2 P(X <
 * min(b, c)) + P(X = min(b, c)), which is 1 for b = c; "chi-square": (b − c)²/(b + c) on 1 df; "chi-square-cc": with the continuity correction (|b − c| − 1)².
 * McNemar 1947; Fagerland et al. 2013. p = 1 for b + c = 0.
 */
export function mcnemar(b: number, c: number, options: { readonly method?: McnemarMethod } = {}): TestResult {
  checkObject("options", options);
  const { method = "exact" } = options;
  checkCount("b", b);
  checkCount("c", c);
  const n = b + c;
  const fewer = Math.min(b, c);
  if (n === 0) return { p_value: 1 };
  switch (method) {
    case "exact":
      return { p_value: Math.min(1, 2 * binomialCdf(fewer, n, 0.5)) };
    case "mid-p":
      return { p_value: b === c ? 1 : binomialCdf(fewer, n, 0.5) + binomialCdf(fewer - 1, n, 0.5) };
    case "chi-square":
      return chiSquareTest((b - c) ** 2 / n);
    case "chi-square-cc":
      return chiSquareTest(Math.max(0, Math.abs(b - c) - 1) ** 2 / n);
  }
  throw unknownChoice("method", method);
}

function chiSquareTest(statistic: number): TestResult {
  return { p_value: chiSquareSurvival(statistic, 1), statistic };
}
