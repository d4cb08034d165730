import type { ErrorGroup, EvaluationSummary } from "../respond/summary/scorer-stats.ts";
import { counted, countText } from "./figures.ts";
import { type Name, say, type Sentence } from "./sentence.ts";

type Told = Pick<EvaluationSummary, "errors" | "other_error_count" | "trial_count">;

const MOST_SHOWN = 3;

/**
 * What went wrong in an evaluation, in lines: `sums: 2 of 5 trials in error`, then its errors, three at most, each with
 * its count: ` 2 × Error: no key`. None where nothing did. `failed`: its trials in error.
 */
export function errorLines(
  label: string,
  failed: number,
  { errors = [], other_error_count: others = 0, trial_count: trials }: Told,
): string[] {
  if (errors.length === 0) return [];
  const shown = errors.slice(0, MOST_SHOWN);
  const left = others + sumOf(errors.slice(MOST_SHOWN));
  return [
    `${label}: ${failed === 0 ? counted(sumOf(errors) + others, "score") : `${countText(failed)} of ${counted(trials, "trial")}`} in error`,
    ...shown.map((one) => `  ${countText(one.count)} × ${errorName(one)}`),
    ...(left === 0 ? [] : [`  ${countText(left)} more`]),
  ];
}

/** `All 54 trials of support small failed.`; null where some did not. */
export function allFailed(name: Name, failed: number, trials: number): Sentence | null {
  if (trials === 0 || failed < trials) return null;
  return say`${trials === 1 ? "The only trial" : `All ${counted(trials, "trial")}`} of ${name} failed.`;
}

/** The text of an error, behind the scorer that failed: `judge: Error: no key`. */
function errorName({ scorer, text }: Pick<ErrorGroup, "scorer" | "text">): string {
  return scorer === null ? text : `${scorer}: ${text}`;
}

function sumOf(errors: readonly ErrorGroup[]): number {
  return errors.reduce((sum, { count }) => sum + count, 0);
}
