import { Table } from "apache-arrow";
import { emptyBatch, encodeBatch } from "../../../arrow/encode/batch.ts";
import { encodeSchema } from "../../../arrow/encode/types.ts";
import { integerValues } from "../../../arrow/views/placed-values.ts";
import { RepeatedViews } from "../../../arrow/views/repeated-views.ts";
import { tableColumns, type TableColumn, type TableSubject } from "../../../compile/table/trial-table.ts";
import type { ColumnType, ColumnValues } from "../../../store/columns.ts";
import type { Session, Store } from "../../../store/session.ts";
import type { TrialTablePlan } from "../../../plan/trial-table.ts";
import { readBoth } from "../../flow/read-both.ts";
import {
  placeTrials,
  readTableRows,
  readTableTrials,
  type TablePlaces,
  type TableRows,
} from "./trial-order.ts";
import { readScoreColumns, readTrialColumns } from "./place-columns.ts";

/**
 * The whole table of a request, in one batch. Values are read in the order in which they are stored, and once it is known where
 * each trial stands they go there at once. Texts stay where they were read, as views that stand in order point to them.
 */
export async function readPlacedTable(store: Store, session: Session, plan: TrialTablePlan): Promise<Table> {
  const [rows, trials] = await readBoth(
    store,
    session,
    (own) => readTableRows(own, plan),
    (own) => readTableTrials(own, plan),
  );
  const placing = placeTrials(rows, trials, session.turns);
  const reading = readBoth(
    store,
    session,
    (own) => readTrialColumns(own, plan, placing),
    (own) => readScoreColumns(own, plan, placing),
  );
  const repeating = repeatTexts(session, plan, rows, placing);
  // What reads must have ended before the transaction does.
  await Promise.allSettled([reading, repeating]);
  const [trial, score] = await reading;
  const { row, evaluation } = await repeating;
  const places = await placing;
  const place = [integerValues(places.rows), integerValues(places.indexes)];
  return joinColumns(tableColumns(plan), places.length, { row, evaluation, place, trial, score });
}

async function repeatTexts(
  { turns }: Session,
  plan: TrialTablePlan,
  rows: TableRows,
  placing: Promise<TablePlaces>,
): Promise<{ readonly row: ColumnValues[]; readonly evaluation: ColumnValues[] }> {
  const places = await placing;
  const ids = new RepeatedViews();
  for (const id of plan.evaluationIds) ids.addText(id);
  const row: ColumnValues[] = [];
  for (const column of rows.texts) row.push(await column.take(places.rows, turns));
  return { row, evaluation: [await ids.take(places.evaluations, turns)] };
}

const TYPES: Readonly<Record<TableColumn["type"], ColumnType>> = {
  text: { kind: "text view" },
  integer: { kind: "integer", bits: 32, signed: true },
  double: { kind: "float", bits: 64 },
  boolean: { kind: "boolean" },
};

function joinColumns(
  columns: readonly TableColumn[],
  length: number,
  found: Readonly<Record<TableSubject, readonly ColumnValues[]>>,
): Table {
  const schema = encodeSchema(columns.map(({ name, type }) => ({ name, type: TYPES[type] })));
  if (length === 0) return new Table([emptyBatch(schema)]);
  const taken = { row: 0, evaluation: 0, place: 0, trial: 0, score: 0 };
  const values = columns.flatMap(({ subject }) => found[subject][taken[subject]++] ?? []);
  if (values.length < columns.length) throw new TypeError("a column without values");
  return new Table([encodeBatch(schema, { length, columns: values })]);
}
