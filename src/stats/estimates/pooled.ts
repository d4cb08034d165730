import { check, checkCount, checkList, checkNumber, checkObject } from "../numeric/arguments.ts";

/**
 * The standard error of the mean over several groups, computed from the groups' standard errors as lm-eval does.
 * "size" is for the mean weighted by size: √(Σ(n_i − 1) n_i se_i² / (N − k) / N). "equal" is for the unweighted mean
 * of k groups: √(Σ se_i²) / k. null without groups, and for "size" where no group has two values.
 */
export function pooledStandardError(
  groups: readonly { readonly n: number; readonly standard_error: number }[],
  options: { readonly weights?: "size" | "equal" } = {},
): number | null {
  checkObject("options", options);
  checkList("groups", groups);
  const { weights = "size" } = options;
  for (const group of groups) {
    checkObject("a group", group);
    const { n, standard_error } = group;
    checkCount("n", n, 1);
    checkNumber("standard_error", standard_error);
    check(standard_error >= 0 && standard_error < Infinity, "standard errors to be finite and at least 0");
  }
  const k = groups.length;
  if (k === 0) return null;
  if (weights === "equal") return Math.hypot(...groups.map((group) => group.standard_error)) / k;
  const total = groups.reduce((sum, { n }) => sum + n, 0);
  if (total === k) return null;
  const squares = groups.reduce((sum, { n, standard_error: se }) => sum + (n - 1) * n * se * se, 0);
  return Math.sqrt(squares / (total - k) / total);
}

/**
 * The standard error of the mean over at least one group, see {@link pooledStandardError}, and the degrees of freedom of its
 * t interval: N − k for "size", and Welch–Satterthwaite's (Σ se_i²)² / Σ(se_i⁴ / (n_i − 1)) for "equal". The error is null
 * where a group has one value, which tells nothing of its spread; the degrees of freedom are 0 where there is no error above 0.
 */
export function pooledError(
  groups: readonly { readonly n: number; readonly standard_error: number | null }[],
  weights: "size" | "equal",
): { readonly standard_error: number | null; readonly df: number } {
  const known = groups.flatMap(({ n, standard_error }) =>
    standard_error === null || n < 2 ? [] : [{ n, standard_error }],
  );
  const error = known.length < groups.length ? null : pooledStandardError(known, { weights });
  if (error === null || error === 0) return { standard_error: error, df: 0 };
  if (weights === "size") return { standard_error: error, df: known.reduce((sum, { n }) => sum + n - 1, 0) };
  // Shares of the sum, so that no power leaves the range of doubles.
  const shares = known.map(({ n, standard_error: se }) => ({
    n,
    share: (se / (error * groups.length)) ** 2,
  }));
  return {
    standard_error: error,
    df: 1 / shares.reduce((sum, { n, share }) => sum + share ** 2 / (n - 1), 0),
  };
}
