/**
 * The standard error of the mean over at least one group, and the degrees of freedom of its t interval. "size" is for the mean
 * weighted by size: √(Σ(nᵢ − 1) nᵢ seᵢ² / (N − k) / N), as lm-eval computes it, with N − k. "equal" is for the unweighted mean of k
 * groups: √(Σ seᵢ²) / k, with Welch–Satterthwaite's (Σ seᵢ²)² / Σ(seᵢ⁴ / (nᵢ − 1)). The error is null where a group has one value,
 * which tells nothing of its spread; the degrees of freedom are 0 where there is no error above 0.
 */
export function pooledError(
  groups: readonly { readonly n: number; readonly standard_error: number | null }[],
  weights: "size" | "equal",
): { readonly standard_error: number | null; readonly df: number } {
  const known = groups.flatMap(({ n, standard_error: se }) => (se === null || n < 2 ? [] : [{ n, se }]));
  if (known.length < groups.length || known.length === 0) return { standard_error: null, df: 0 };
  const total = known.reduce((sum, { n }) => sum + n, 0);
  const df = total - known.length;
  const scaled = known.map(({ n, se }) =>
    weights === "size" ? se * Math.sqrt(((n - 1) * n) / df / total) : se / known.length,
  );
  const error = Math.hypot(...scaled);
  if (error === 0) return { standard_error: 0, df: 0 };
  if (weights === "size") return { standard_error: error, df };
  // Shares of the sum, so that no power leaves the range of doubles.
  const shares = known.map(({ n }, i) => ((scaled[i] ?? 0) / error) ** 4 / (n - 1));
  return { standard_error: error, df: 1 / shares.reduce((sum, one) => sum + one, 0) };
}
