import { integersOf, textsOf } from "./chunk-columns.ts";
import { GrowingIntegers } from "../arrow/growing-integers.ts";
import { RepeatedTexts } from "../arrow/repeated-texts.ts";
import { compileTablePlaces, compileTableRows } from "../compile/table-parts.ts";
import type { Session } from "../model/session.ts";
import type { Turns } from "../model/turns.ts";
import type { TrialTablePlan } from "../plan/trial-table.ts";

/** The rows of a table in their order, and the texts of each. */
export interface TableRows {
  readonly keys: Int32Array;
  /** The columns of rows. */
  readonly texts: readonly RepeatedTexts[];
}

export async function readTableRows(session: Session, plan: TrialTablePlan): Promise<TableRows> {
  const keys = new GrowingIntegers();
  const texts = (plan.rows.rawRows === "none" ? [0] : [0, 1]).map(() => new RepeatedTexts());
  for await (const chunk of session.chunks(compileTableRows(plan))) {
    keys.append(integersOf(chunk, 0));
    for (const [i, column] of texts.entries()) column.add(textsOf(chunk, i + 1));
  }
  return { keys: keys.all(), texts };
}

/** The trials of a table in their order. */
export interface TablePlaces {
  readonly length: number;
  /** The place in the table of each trial by its key; -1 for one that is not in it. The memory is used again. */
  readonly of: (trialKeys: Int32Array) => Int32Array;
  /** For each place: which row and which evaluation it is of, and which of the trials of both. */
  readonly rows: Int32Array<ArrayBuffer>;
  readonly evaluations: Int32Array<ArrayBuffer>;
  readonly indexes: Int32Array<ArrayBuffer>;
  /** For each text column of trials: how long the text at each place is, -1 for null. */
  readonly lengths: readonly Int32Array[];
}

export async function readTablePlaces(
  session: Session,
  plan: TrialTablePlan,
  { keys }: TableRows,
): Promise<TablePlaces> {
  session.load("table_rows", [
    { name: "row_key", type: "INTEGER", values: keys },
    { name: "place", type: "INTEGER", values: keys.map((_, place) => place) },
  ]);
  const found: GrowingIntegers[] = [];
  for await (const chunk of session.chunks(compileTablePlaces(plan))) {
    for (let i = 0; i < chunk.columns.length; i++) {
      (found[i] ??= new GrowingIntegers()).append(integersOf(chunk, i));
    }
  }
  const [trials = NOTHING, rows = NOTHING, evaluations = NOTHING, indexes = NOTHING, ...lengths] = found.map(
    (column) => column.all(),
  );
  const { length } = trials;
  const of = await placesOf(trials, session.turns);
  return { length, of, rows, evaluations, indexes, lengths };
}

const NOTHING = new Int32Array(0);

/** So many keys are gone through in one turn of the event loop. */
const SOME = 65_536;

/** Finds where keys stand in a list. Keys are dense, as the writer hands them out. */
async function placesOf(keys: Int32Array, turns: Turns): Promise<TablePlaces["of"]> {
  let least = Infinity;
  let most = -Infinity;
  for (let i = 0; i < keys.length; i++) {
    if (i % SOME === 0) await turns.take();
    const key = keys[i] ?? 0;
    if (key < least) least = key;
    if (key > most) most = key;
  }
  const after = new Int32Array(Math.max(0, most - least + 1));
  for (let i = 0; i < keys.length; i++) {
    if (i % SOME === 0) await turns.take();
    after[(keys[i] ?? 0) - least] = i + 1;
  }
  let places = new Int32Array(0);
  return (wanted) => {
    if (places.length < wanted.length) places = new Int32Array(wanted.length);
    for (let i = 0; i < wanted.length; i++) places[i] = (after[(wanted[i] ?? 0) - least] ?? 0) - 1;
    return places.subarray(0, wanted.length);
  };
}
