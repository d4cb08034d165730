import { shortenedText } from "../../text/text-width.ts";
import type { ResultRow } from "../../index.ts";
import { at, isJsonObject, writeJson } from "../../model/json.ts";

/** A score dimension: its path from the scores object down, and its display name. */
interface ScoreDimension {
  readonly path: readonly string[];
  readonly name: string;
}

type Scores = { readonly [key: string]: unknown };

/** The members below a place in scores that were seen, by name. */
interface Seen {
  readonly members: Map<string, Seen>;
  isDimension: boolean;
}

/** Every score dimension of the rows, in order of first occurrence. */
export function dimensionsOf(rows: readonly ResultRow[]): ScoreDimension[] {
  const dimensions: ScoreDimension[] = [];
  const visit = (value: unknown, seen: Seen, path: readonly string[]): void => {
    if (isJsonObject(value)) {
      for (const name of Object.keys(value)) visitMember(value[name], name, seen, path);
    } else if (path.length > 0 && value !== null && !seen.isDimension) {
      seen.isDimension = true;
      dimensions.push({ path, name: path.join(".") });
    }
  };
  const visitMember = (value: unknown, name: string, seen: Seen, path: readonly string[]): void => {
    const member = seen.members.get(name) ?? { members: new Map<string, Seen>(), isDimension: false };
    seen.members.set(name, member);
    // Most members are scores that were seen before.
    if (!member.isDimension || isJsonObject(value)) visit(value, member, [...path, name]);
  };
  const root: Seen = { members: new Map(), isDimension: false };
  for (const row of rows)
    for (const entry of row.evaluations) for (const trial of entry.trials) visit(trial.scores, root, []);
  return dimensions;
}

/**
 * Formats the values of the trials in one cell: the mean of numbers, the passes of booleans, otherwise the first
 * value as text.
 */
export function scoreCell(trials: readonly Scores[], path: readonly string[]): string {
  const values = trials
    .map((scores) => at(scores, ...path))
    .filter((value) => value !== null && value !== undefined);
  const [first] = values;
  if (first === undefined) return "";
  if (values.every((value) => typeof value === "boolean")) return passes(values);
  if (values.every((value) => typeof value === "number")) return meanText(values);
  return shortenedText(typeof first === "string" ? first : writeJson(first), TEXT_WIDTH);
}

const TEXT_WIDTH = 24;

function passes(values: readonly boolean[]): string {
  if (values.length === 1) return values[0] === true ? "✓" : "✗";
  return `${values.filter(Boolean).length}/${values.length}`;
}

function meanText(values: readonly number[]): string {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return String(Number(mean.toPrecision(5)));
}
