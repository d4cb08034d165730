import type { Comparison } from "../../respond/compare/comparison.ts";
import { countText } from "../words/figures.ts";
import type { Standing } from "../words/standings.ts";
import type { Shown, ShownEvaluation } from "./shown.ts";

/** An evaluation that was compared with the baseline. */
export interface ComparedEvaluation extends ShownEvaluation {
  readonly comparison: Comparison;
  readonly standing: Standing;
}

/** Evaluations that were compared with the baseline, the best difference first. */
export function comparedEvaluations({ evaluations, told }: Shown): ComparedEvaluation[] {
  const sign = told.lower_is_better ? 1 : -1;
  return evaluations.filter(isCompared).toSorted((a, b) => {
    const [x, y] = [a.comparison.difference, b.comparison.difference];
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    return sign * (x - y);
  });
}

function isCompared(one: ShownEvaluation): one is ComparedEvaluation {
  return one.comparison !== null && one.standing !== null;
}

/** Names of the methods of adjustment. */
const ADJUSTMENTS = {
  ranges: "Ryan–Einot–Gabriel–Welsch",
  holm: "Holm",
  "benjamini-hochberg": "Benjamini–Hochberg",
  none: null,
} as const;

/** What is said above the differences. */
export function differencesHint(
  { answers: { comparison } }: Shown,
  all: readonly ComparedEvaluation[],
): string {
  const paired =
    "Paired on shared rows: each row is its own control, so these intervals can be narrower than those above.";
  const banded = all.some((one) => one.comparison.minimum_detectable_effect !== null);
  const band = banded
    ? " A difference at the edge of the shaded band would have been found four times in five."
    : "";
  if (comparison === null || comparison.family_size < 2) return `${paired}${band}`;
  const method = ADJUSTMENTS[comparison.adjust];
  const size = countText(comparison.family_size);
  const family =
    comparison.ranks === null ? `the ${size} comparisons on this page` : `all ${size} pairs of evaluations`;
  const adjusted =
    method === null
      ? `p values are not adjusted for ${family}.`
      : `p values and intervals are adjusted for ${family} (${method}).`;
  return `${paired} ${adjusted}${band}`;
}
