import type { EvaluationName } from "../words/names.ts";
import type { Order, RowDetail, RowLine, Show } from "../rows/row-source.ts";
import type { ShownScore } from "./shown-score.ts";

/** What is chosen in the section of rows. */
export interface RowsState {
  readonly search: string;
  readonly show: Show;
  readonly order: Order;
  /** Digest of the open row. */
  readonly row: string | null;
  /** Id of the evaluation that the open row compares with the baseline. */
  readonly with: string | null;
}

/** Changes the state; `push` makes a step that Back undoes. */
export type ChangeRows = (change: Partial<RowsState>, how?: "push" | "replace") => void;

/** What the columns of rows mean. */
export interface RowColumnsShown {
  /** In the order of the values of a row. */
  readonly names: readonly EvaluationName[];
  readonly score: ShownScore | null;
  /** Id of the baseline; null where there is none. */
  readonly baseline: string | null;
}

/** Which rows can be asked for: no request can name a score whose key is empty, and some need a baseline. */
export function showsOf(score: ShownScore | null, baseline: string | null): readonly Show[] {
  if (score?.name === "") return ["all"];
  return baseline === null ? ["all", "differ", "missing"] : ["all", "differ", "better", "worse", "missing"];
}

/** The two evaluations that a row's dialog compares: places among the evaluations; `right` null where there is one only. */
export function sidesOf(
  columns: RowColumnsShown,
  values: RowLine["values"],
  wanted: string | null,
): { readonly left: number; readonly right: number | null } {
  const { names, baseline } = columns;
  const left = Math.max(
    0,
    names.findIndex(({ id }) => id === baseline),
  );
  const chosen = names.findIndex(({ id }) => id === wanted);
  if (chosen !== -1 && chosen !== left) return { left, right: chosen };
  const others = names.map((_, i) => i).filter((i) => i !== left);
  const differs = others.filter((i) => values[i] !== values[left]);
  return { left, right: differs.find((i) => values[i] != null) ?? differs[0] ?? others[0] ?? null };
}

/** A row's values in a dimension, from its trials. */
export function valuesOf(detail: RowDetail, score: string | null): RowLine["values"] {
  return detail.trials.map((trials) => {
    if (trials.length === 0) return undefined;
    const values = trials.flatMap(({ scores }) => {
      const value = scores.find(([name]) => name === score)?.[1];
      return typeof value === "number" ? [value] : typeof value === "boolean" ? [Number(value)] : [];
    });
    return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
  });
}
