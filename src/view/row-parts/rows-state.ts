import type { PageName } from "../../words/names.ts";
import type { Order, RowLine, RowList, RowQuery, RowSource, Show } from "../rows/row-source.ts";
import type { Score } from "../../words/score.ts";
import type { Asked } from "./use-asked.ts";

/** What is chosen in the section of rows. */
export interface RowsState {
  readonly search: string;
  readonly show: Show;
  readonly order: Order;
  /** Digest of the open row. */
  readonly row: string | null;
  /** Ids of at most two evaluations that are compared with the baseline; the first is the candidate. */
  readonly with: readonly string[];
  /** Whose steps stand beside each other in the open row, each an id and a number: `run-1:2`; none: the usual ones. */
  readonly attempts: readonly string[];
}

/** Changes the state; `push` makes a step that Back undoes. */
export type ChangeRows = (change: Partial<RowsState>, how?: "push" | "replace") => void;

/** What the columns of rows mean. */
export interface RowColumnsShown {
  /** In the order of the values of a row. */
  readonly names: readonly PageName[];
  readonly score: Score | null;
  /** Id of the baseline; null where there is none. */
  readonly baseline: string | null;
  /** Id of the one that is compared with it where nobody chose; null where there is none. */
  readonly candidate: string | null;
}

/** The rows of a page, and what is chosen of them. */
export interface PageRows {
  /** Null while the rows are not there yet. */
  readonly source: RowSource | null;
  /** The rows of the state. */
  readonly asked: Asked<RowList>;
  readonly columns: RowColumnsShown;
  /** Whether trials of the page have steps. */
  readonly hasSteps: boolean;
  /** The dimension that says whether a trial of these passed; null where there is none. */
  readonly success: string | null;
  readonly state: RowsState;
  readonly change: ChangeRows;
}

/** Which rows can be asked for: no request can name a score whose key is empty, and some need a baseline. */
export function showsOf(score: Pick<Score, "key"> | null, baseline: string | null): readonly Show[] {
  if (score?.key === "") return ["all"];
  return baseline === null ? ["all", "differ", "missing"] : ["all", "differ", "better", "worse", "missing"];
}

/** Places of the baseline and of those that are compared with it: the ones wanted, else the candidate. */
export function sidesOf(
  { names, baseline, candidate }: RowColumnsShown,
  wanted: RowsState["with"],
): readonly number[] {
  const left = Math.max(
    0,
    names.findIndex(({ id }) => id === baseline),
  );
  const chosen = wanted.map((one) => names.findIndex(({ id }) => id === one));
  const others = chosen.filter((place) => place !== -1 && place !== left);
  if (others.length > 0) return [left, ...others];
  if (names.length < 2) return [left];
  const usual = names.findIndex(({ id }, place) => id === candidate && place !== left);
  return [left, usual === -1 ? Number(left === 0) : usual];
}

/** The same of an open row: where none is wanted, the first whose value differs from the baseline's. */
export function rowSidesOf(
  columns: RowColumnsShown,
  values: RowLine["values"],
  wanted: RowsState["with"],
): readonly number[] {
  const [left = 0, ...others] = sidesOf(columns, wanted);
  if (columns.names.some(({ id }, i) => i !== left && wanted.includes(id))) return [left, ...others];
  const differs = values.flatMap((value, i) => (i === left || value === values[left] ? [] : i));
  const first = differs.find((i) => values[i] != null) ?? differs[0];
  return first === undefined ? [left, ...others] : [left, first];
}

/** The evaluations to compare after one was pressed: at least one, and the last two. */
export function toggled(
  { names }: RowColumnsShown,
  [, ...others]: readonly number[],
  id: string,
): RowsState["with"] {
  const shown = others.flatMap((place) => names[place]?.id ?? []);
  if (!shown.includes(id)) return [...shown, id].slice(-2);
  return shown.length === 1 ? shown : shown.filter((one) => one !== id);
}

/** The question of the chosen state. */
export function queryOf({ score, baseline }: RowColumnsShown, { search, show, order }: RowsState): RowQuery {
  return {
    search,
    show,
    order,
    score: score?.key ?? null,
    lowerIsBetter: score?.lower_is_better ?? false,
    baseline,
  };
}
