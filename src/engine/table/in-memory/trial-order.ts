import { GrowingIntegers } from "../../../arrow/views/growing-integers.ts";
import { RepeatedViews } from "../../../arrow/views/repeated-views.ts";
import { compileTableOrder, compileTableRows } from "../../../compile/table/in-memory-parts.ts";
import type { Session } from "../../../store/session.ts";
import type { Turns } from "../../../model/turns.ts";
import type { TrialTablePlan } from "../../../plan/trial-table.ts";
import { KeyPlaces } from "./key-index.ts";
import { orderBy, placed, placesBy } from "./counting-sort.ts";

/** The rows of a table in their order, and the texts of each. */
export interface TableRows {
  readonly keys: Int32Array;
  /** The columns of rows. */
  readonly texts: readonly RepeatedViews[];
}

export async function readTableRows(session: Session, plan: TrialTablePlan): Promise<TableRows> {
  const keys = new GrowingIntegers();
  const texts = (plan.rows.rawRows === "none" ? [0] : [0, 1]).map(() => new RepeatedViews());
  for await (const chunk of session.chunks(compileTableRows(plan))) {
    keys.append(chunk.integers(0));
    for (const [i, column] of texts.entries()) column.add(chunk.texts(i + 1, column.memory));
  }
  return { keys: keys.all(), texts };
}

/** The trials of a table as they are stored: what tells their order. */
interface TableTrials {
  readonly keys: Int32Array;
  readonly rowKeys: Int32Array;
  /** Which evaluation each is of, and which of the trials of its row there. */
  readonly evaluations: Int32Array<ArrayBuffer>;
  readonly indexes: Int32Array<ArrayBuffer>;
}

export async function readTableTrials(session: Session, plan: TrialTablePlan): Promise<TableTrials> {
  const columns = Array.from({ length: 4 }, () => new GrowingIntegers());
  for await (const chunk of session.chunks(compileTableOrder(plan))) {
    for (const [i, column] of columns.entries()) column.append(chunk.integers(i));
  }
  const [keys = NOTHING, rowKeys = NOTHING, evaluations = NOTHING, indexes = NOTHING] = columns.map(
    (column) => column.all(),
  );
  return { keys, rowKeys, evaluations, indexes };
}

const NOTHING = new Int32Array(0);

/** The trials of a table in their order. */
export interface TablePlaces {
  readonly length: number;
  /** By the key of a trial. */
  readonly trials: KeyPlaces;
  /** For each place: which row and which evaluation it is of, and which of the trials of both. */
  readonly rows: Int32Array<ArrayBuffer>;
  readonly evaluations: Int32Array<ArrayBuffer>;
  readonly indexes: Int32Array<ArrayBuffer>;
}

/** Trials stand by their row, then by their evaluation, then by their index. */
export async function placeTrials(
  { keys: rowKeys }: TableRows,
  trials: TableTrials,
  turns: Turns,
): Promise<TablePlaces> {
  const rowPlaces = await KeyPlaces.of(
    rowKeys,
    rowKeys.map((_, place) => place),
    turns,
  );
  const byIndex = await orderBy(trials.indexes, null, turns);
  const byEvaluation = await orderBy(trials.evaluations, byIndex, turns);
  const rows = await rowPlaces.find(trials.rowKeys, turns);
  const found = await placesBy(rows, byEvaluation, turns);
  return {
    length: found.keys.length,
    trials: await KeyPlaces.of(trials.keys, found.places, turns),
    rows: found.keys,
    evaluations: await placed(trials.evaluations, found, turns),
    indexes: await placed(trials.indexes, found, turns),
  };
}
