import { isSetting, plainName } from "./guess-names.ts";

/** What a figure counts, or the mean of a score. */
export type FigureKind = "trials" | "passed" | "failed" | "mean";

const THINGS = "samples|examples|cases|tests|questions|items|records|trials|results|instances|tasks|rows";
const RIGHT = "passed|pass|correct|right|resolved|solved|successes|successful";
const WRONG = "failed|fail|incorrect|wrong|unresolved|unsolved|failures";
const counted = (words: string) =>
  new RegExp(`^((n|num|number_of|total)_)?(${words})(_(count|total|instances|cases|tests))?$`);

/** What a figure is by its name. */
const KINDS: readonly (readonly [FigureKind, RegExp])[] = [
  [
    "trials",
    new RegExp(`^(n|count|total|total_count|count_total|(n|num|number_of|total)_(${THINGS}|total))$`),
  ],
  ["trials", new RegExp(`^(${THINGS})_(count|total)$`)],
  ["passed", counted(RIGHT)],
  ["failed", counted(WRONG)],
  [
    "mean",
    /^((overall|total|average|avg|mean)_)?(accuracy|acc|pass_rate|success_rate|resolution_rate|resolve_rate|score)$/,
  ],
];
export const PERCENT = /_(pct|percent|percentage)$/;
export const MEAN_OF = /^(?:mean_|avg_|average_)(.+)$|^(.+)_(?:mean|avg|average)$/;
export const PASS_AT = /^pass(?:@|_at_)(\d+)$/;
/** Numbers beside records that say how the run was made, and nothing of its trials. */
const NO_FIGURE =
  /(^|_)(id|seed|version|duration|time|at|date|timestamp|tokens|cost|usd|price|latency|seconds|ms|page|pages|limit|offset|per_page|size|workers|retries)$/;

/** What a figure is by its name; null where that does not say so. */
export function kindOf(name: string): FigureKind | null {
  const plain = plainName(name).replace(PERCENT, "");
  return KINDS.find(([, pattern]) => pattern.test(plain))?.[0] ?? null;
}

/** Whether a number beside records says something of them. */
export function isFigureName(name: string): boolean {
  return kindOf(name) !== null || !(isSetting(name) || NO_FIGURE.test(plainName(name)));
}
