import type { Adjustment } from "../../request/compare-request.ts";
import { benjaminiHochberg, holm } from "../../stats/tests/multiplicity.ts";

/** p values that are adjusted for each other. */
export interface Family {
  /** In the order of the p values; null where there is none. */
  readonly adjusted: readonly (number | null)[];
  /** Number of p values. */
  readonly size: number;
  /**
   * The level of each adjusted interval. Holm: α/m, so that all hold together with 1 − α (Bonferroni).
   * Benjamini–Hochberg: αR/m with R findings, so that of the intervals of findings a share of α misses (Benjamini and
   * Yekutieli 2005).
   */
  readonly level: number;
  /** The level of each comparison by itself: α/m, or α without adjustment. */
  readonly each: number;
  /** The level at which a difference is sure to be shown, whatever the others are. */
  readonly detection: number;
}

/**
 * Adjusts the p values of an answer; `alpha` is 1 − confidence, and a family `times` as large has others that count as
 * 1.
 */
export function familyOf(
  p: readonly (number | null)[],
  adjust: Adjustment,
  alpha: number,
  times = 1,
): Family {
  const known = p.filter((value) => value !== null);
  const size = Math.ceil(known.length * times);
  const values = adjustAll(known, adjust, size);
  let next = 0;
  const adjusted = p.map((value) => (value === null ? null : (values[next++] ?? null)));
  const findings = values.filter((value) => value <= alpha).length;
  const share = alpha / Math.max(1, size);
  const levels = {
    holm: share,
    "benjamini-hochberg": share * Math.max(1, findings),
    none: alpha,
  };
  const each = adjust === "none" ? alpha : share;
  return { adjusted, size, level: levels[adjust], each, detection: each };
}

function adjustAll(p: readonly number[], adjust: Adjustment, size: number): readonly number[] {
  switch (adjust) {
    case "benjamini-hochberg":
      return benjaminiHochberg(p, size);
    case "holm":
      return holm(p, size);
    case "none":
      return p;
  }
}
