import type { Key } from "../../model/digest.ts";
import type { TurnTaker } from "../../model/turns.ts";
import type { Column } from "../../store/session.ts";
import type { ScorePathEntry } from "../keys/catalog.ts";
import type { NullScore } from "./collect-scores.ts";
import type { DimensionValues, ScoreValues, TrialKeys } from "./score-values.ts";

type Ordered = readonly (readonly [{ readonly key: Key }, DimensionValues])[];

/** Score values as columns of `scores`, ordered by dimension, and within one as they were added. */
export async function columnsOfScores(
  { trials, dimensions }: ScoreValues,
  turns: TurnTaker,
): Promise<readonly Column[]> {
  const ordered = [...dimensions].toSorted(([a], [b]) => (a.key < b.key ? -1 : 1));
  const keys = (read: (trial: TrialKeys | undefined) => Key | undefined) => () =>
    each(ordered, ({ trials: at }, i) => read(trials[at[i] ?? 0]) ?? 0);
  const columns: (Omit<Column, "values"> & { readonly values: () => Column["values"] })[] = [
    { name: "path_key", type: "INTEGER", values: () => each(ordered, (_values, _i, path) => path) },
    { name: "evaluation_key", type: "INTEGER", values: keys((one) => one?.evaluation) },
    { name: "row_key", type: "INTEGER", values: keys((one) => one?.row) },
    { name: "trial_key", type: "INTEGER", values: keys((one) => one?.trial) },
    { name: "kind", type: "UTINYINT", values: () => each(ordered, ({ kinds }, i) => kinds[i] ?? 0) },
    { name: "late", type: "BOOLEAN", values: () => each(ordered, ({ late }, i) => late[i] === 1) },
    { name: "number", type: "DOUBLE", values: () => each(ordered, ({ numbers }, i) => orNull(numbers[i])) },
    { name: "text", type: "VARCHAR", values: () => each(ordered, ({ texts }, i) => texts[i] ?? null) },
  ];
  const made: Column[] = [];
  for (const { name, type, values } of columns) {
    await turns.next();
    made.push({ name, type, values: values() });
  }
  return made;
}

/** One entry for each value. */
function each<T>(ordered: Ordered, read: (values: DimensionValues, i: number, path: Key) => T): T[] {
  const all: T[] = [];
  all.length = ordered.reduce((sum, [, { length }]) => sum + length, 0);
  let at = 0;
  for (const [{ key }, values] of ordered)
    for (let i = 0; i < values.length; i++) all[at++] = read(values, i, key);
  return all;
}

function orNull(number = Number.NaN): number | null {
  return Number.isNaN(number) ? null : number;
}

/** Nulls as columns of `null_scores`. */
export function nullColumns(nulls: readonly NullScore[]): readonly Column[] {
  return [
    { name: "path_key", type: "INTEGER", values: nulls.map(({ path }) => path.key) },
    { name: "evaluation_key", type: "INTEGER", values: nulls.map(({ keys }) => keys.evaluation) },
    { name: "row_key", type: "INTEGER", values: nulls.map(({ keys }) => keys.row) },
    { name: "trial_key", type: "INTEGER", values: nulls.map(({ keys }) => keys.trial) },
    { name: "late", type: "BOOLEAN", values: nulls.map(({ late }) => late) },
  ];
}

/** Places in scores as columns of `score_paths`. */
export function pathColumns(paths: readonly ScorePathEntry[]): readonly Column[] {
  return [
    { name: "path_key", type: "INTEGER", values: paths.map((path) => path.key) },
    { name: "project_key", type: "INTEGER", values: paths.map((path) => path.projectKey) },
    { name: "path", type: "VARCHAR", values: paths.map((path) => path.path) },
    { name: "leaf", type: "BOOLEAN", values: paths.map((path) => path.leaf) },
    { name: "container", type: "BOOLEAN", values: paths.map((path) => path.container) },
    { name: "list", type: "BOOLEAN", values: paths.map((path) => path.list) },
    { name: "max_exponent", type: "INTEGER", values: paths.map((path) => path.maxExponent) },
    { name: "min_exponent", type: "INTEGER", values: paths.map((path) => path.minExponent) },
    { name: "low_bit", type: "INTEGER", values: paths.map((path) => path.lowBit) },
  ];
}
