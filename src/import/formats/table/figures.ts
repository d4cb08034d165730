import { meanOf } from "../../check/moments.ts";
import type { ScoreBook } from "../../check/score-book.ts";
import { agrees, figureOf, unchecked } from "../../check/agreement.ts";
import type { LogItem } from "../../translate/log-parts.ts";

const COUNTS = new Set(["total", "count", "n"]);
const MEANS = new Set(["accuracy", "pass_rate"]);
const PERCENT = /_(pct|percent)$/;
const MEAN_OF = /^(?:mean_|avg_)(.+)$|^(.+)_mean$/;

/** What figures beside the records of a table are compared with. */
interface Computed {
  readonly evaluation: string;
  readonly trials: number;
  readonly scores: readonly string[];
  readonly booleans: readonly string[];
  readonly book: ScoreBook;
}

/** Compares figures with what the trials give, where the name of a figure says what it is. */
export function* statedFigures(figures: ReadonlyMap<string, number>, computed: Computed): Generator<LogItem> {
  for (const [name, stated] of figures) yield compared(name, stated, computed);
}

function compared(
  name: string,
  stated: number,
  { evaluation, trials, scores, booleans, book }: Computed,
): LogItem {
  if (COUNTS.has(name)) return figureOf(evaluation, null, name, stated, trials);
  const isCount = name === "passed" || name === "failed";
  const key = scoreOf(name, scores, booleans);
  const values = key === null ? null : book.find(evaluation, [key])?.values;
  if (key === null || values === undefined || values === null)
    return unchecked(name, "its name does not say of which score it is, or how it is made");
  const known = values.filter((value) => !Number.isNaN(value));
  const mean = isCount
    ? known.filter((value) => (value === 1) === (name === "passed")).length
    : meanOf(known);
  const isPercent =
    !isCount && (PERCENT.test(name) || (stated > 1 && known.every((value) => value >= 0 && value <= 1)));
  const found = figureOf(evaluation, key, name, stated, isPercent ? mean * 100 : mean);
  // A tolerance counts in relation to the figure, too, where that is above 1.
  const tolerance = isCount
    ? 0
    : Math.max(1e-9, halfDigit(stated, isPercent) / Math.max(1, Math.abs(stated)));
  if (known.length < trials && !agrees(found.figure, tolerance))
    return unchecked(name, `${trials - known.length} trials have no ${key}, and may count in it`);
  return { ...found, tolerance };
}

/** The score that a figure is of; null where its name does not say. */
function scoreOf(name: string, scores: readonly string[], booleans: readonly string[]): string | null {
  if (name === "passed" || name === "failed") return booleans.length === 1 ? (booleans[0] ?? null) : null;
  const plain = name.replace(PERCENT, "");
  const [, before, behind] = MEAN_OF.exec(plain) ?? [];
  const named = scores.find((score) => score === plain || score === (before ?? behind));
  if (named !== undefined) return named;
  return MEANS.has(plain) && scores.length === 1 ? (scores[0] ?? null) : null;
}

/** Half of the last digit of a rounded figure; 0 for a whole number that is no percentage. */
function halfDigit(stated: number, isPercent: boolean): number {
  const digits = /\.(\d+)$/.exec(String(stated))?.[1]?.length ?? 0;
  return digits === 0 && !isPercent ? 0 : 0.5 * 10 ** -digits;
}
