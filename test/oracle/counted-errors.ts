import { isLeaf, valueAt } from "./row-statistics.ts";
import type { RunTrial, ScoredRun } from "./scored-runs.ts";

type Path = readonly string[];

/** What the values of a run are at a place: numbers where it has one, else booleans, else texts; null without any. */
function kindOf(runs: readonly ScoredRun[], path: Path): "number" | "boolean" | "string" | null {
  const types = new Set(runs.flatMap(({ trials }) => trials.map((one) => typeof valueAt(one, path))));
  return (["number", "boolean", "string"] as const).find((type) => types.has(type)) ?? null;
}

/** What a failed trial of a run counts as at a place; undefined where it counts nowhere. */
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

export function isCounted(one: RunTrial, path: Path): boolean {
  return one.error !== "none" && !isLeaf(valueAt(one, path));
}

/** The runs as if nothing failed and the values that failed trials count as were scores; they have no other place. */
export function withoutErrors(runs: readonly ScoredRun[], path: Path, number: number): ScoredRun[] {
  return runs.map((run) => {
    const counted = countedAs(runs, run, path, number);
    const trials = run.trials.map((one): RunTrial => {
      const own = valueAt(one, path);
      const value = isCounted(one, path) ? counted : own;
      return { row: one.row, scores: nested(path, value), late: null, error: "none" };
    });
    return { ...run, trials };
  });
}

/** A run that is not asked for: with it the project has this number at the place, as if a failed trial counted as it. */
export function elsewhere(path: Path, number: number): ScoredRun {
  return { id: "elsewhere", trials: [{ row: 0, scores: nested(path, number), late: null, error: "none" }] };
}

function nested(path: Path, value: unknown): Record<string, unknown> {
  const [name = "", ...rest] = path;
  if (value === undefined) return {};
  return { [name]: rest.length === 0 ? value : nested(rest, value) };
}
