import { isLeaf, valueAt } from "./row-statistics.ts";
import type { RunTrial, ScoredRun } from "./scored-runs.ts";

type Path = readonly string[];

/** What the values of a run are at a place: numbers where it has one, else booleans, else texts; null without any. */
function kindOf(runs: readonly ScoredRun[], path: Path): "number" | "boolean" | "string" | null {
  const types = new Set(runs.flatMap(({ trials }) => trials.map((one) => typeof valueAt(one, path))));
  return (["number", "boolean", "string"] as const).find((type) => types.has(type)) ?? null;
}

/** What a trial of a run without a value counts as at a place; undefined where it counts nowhere. */
export function countedAs(
  runs: readonly ScoredRun[],
  run: ScoredRun,
  path: Path,
  number: number,
): number | boolean | undefined {
  const kind = kindOf([run], path) ?? kindOf(runs, path);
  if (kind === "number") return number;
  return kind === "boolean" ? number === 1 : undefined;
}

/** Why trials have no value, and what they count as; undefined: nowhere. */
export type Numbers = { readonly error: number | undefined; readonly null: number | undefined };

/** Why a trial has no value at a place; null where it has one, or nothing at all. */
export function lacks(one: RunTrial, path: Path): keyof Numbers | null {
  if (isLeaf(valueAt(one, path))) return null;
  if (one.error !== "none") return "error";
  return valueAt(one, path) === null ? "null" : null;
}

/** The runs as if nothing failed and the values that trials count as were scores; they have no other place. */
export function withCounted(runs: readonly ScoredRun[], path: Path, numbers: Numbers): ScoredRun[] {
  return runs.map((run) => {
    const trials = run.trials.map((one): RunTrial => {
      const why = lacks(one, path);
      const number = why === null ? undefined : numbers[why];
      const counted = number === undefined ? undefined : countedAs(runs, run, path, number);
      const value = counted ?? (why === "error" ? undefined : valueAt(one, path));
      return { row: one.row, scores: nested(path, value), late: null, error: "none" };
    });
    return { ...run, trials };
  });
}

/** A run that is not asked for: with it the project has these numbers at the place, as if trials counted as them. */
export function elsewhere(path: Path, numbers: Numbers): ScoredRun {
  const counted = [numbers.error, numbers.null].flatMap((number) => number ?? []);
  const trials = counted.map((number, row): RunTrial => ({
    row,
    scores: nested(path, number),
    late: null,
    error: "none",
  }));
  return { id: "elsewhere", trials };
}

function nested(path: Path, value: unknown): Record<string, unknown> {
  const [name = "", ...rest] = path;
  if (value === undefined) return {};
  return { [name]: rest.length === 0 ? value : nested(rest, value) };
}
