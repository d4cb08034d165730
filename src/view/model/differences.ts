import type { Comparison } from "../../respond/compare/comparison.ts";
import { countText } from "../words/figures.ts";
import type { Standing } from "../words/standings.ts";
import type { Shown, ShownEvaluation } from "./shown.ts";

/** An evaluation that was compared with the baseline. */
export interface ComparedEvaluation extends ShownEvaluation {
  readonly comparison: Comparison;
  readonly standing: Standing;
}

export function isCompared(one: ShownEvaluation): one is ComparedEvaluation {
  return one.comparison !== null && one.standing !== null;
}

/** Names of the methods of adjustment. */
const ADJUSTMENTS = {
  ranges: "Ryan–Einot–Gabriel–Welsch",
  holm: "Holm",
  "benjamini-hochberg": "Benjamini–Hochberg",
  none: null,
} as const;

/** How differences are to be read. */
export function differencesHint(
  { answers: { comparison } }: Shown,
  all: readonly ComparedEvaluation[],
): string {
  const paired = "Since each row is its own control, these intervals can be narrower than those above.";
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
