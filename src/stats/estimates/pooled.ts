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
