import { Table } from "apache-arrow";
import { batchRanges, cutBatches, type BatchCut } from "../arrow/batch-cut.ts";
import { emptyBatch, encodeBatch } from "../arrow/encode-batch.ts";
import { encodeSchema } from "../arrow/encode-types.ts";
import { integerValues } from "../arrow/placed-values.ts";
import { RepeatedTexts } from "../arrow/repeated-texts.ts";
import { tableColumns, type TableColumn, type TableSubject } from "../compile/trial-table.ts";
import type { ColumnType, ColumnValues } from "../model/columns.ts";
import type { Session } from "../model/session.ts";
import type { TrialTablePlan } from "../plan/trial-table.ts";
import { readTablePlaces, readTableRows, type TablePlaces, type TableRows } from "./table-places.ts";
import { readTableScores, readTrialColumns, takeScoreColumns } from "./table-values.ts";

/** The columns of a subject in their order, a list of batches each. */
type Columns = readonly (readonly ColumnValues[])[];

/**
 * The whole table of a request. Where each trial stands is found first; then its values are read in the order in which
 * they are stored, and go there at once. Nothing but integers is sorted, and no text is held twice.
 */
export async function readPlacedTable(session: Session, plan: TrialTablePlan): Promise<Table> {
  const rows = await readTableRows(session, plan);
  const places = await readTablePlaces(session, plan, rows);
  const scores = await readTableScores(session, plan, places);
  const texts = [...places.lengths, ...scores.lengths.values()];
  for (const column of rows.texts) texts.push(column.lengthsOf(places.rows));
  const cut = await cutBatches(places.length, texts, session.turns);
  const score = await takeScoreColumns(session, plan, places, scores, cut);
  const trial = await readTrialColumns(session, plan, places, cut);
  const { row, evaluation } = await repeatTexts(session, plan, rows, places, cut);
  const place = [integerValues(cut, places.rows), integerValues(cut, places.indexes)];
  return joinColumns(tableColumns(plan), cut, { row, evaluation, place, trial, score });
}

async function repeatTexts(
  { turns }: Session,
  plan: TrialTablePlan,
  rows: TableRows,
  places: TablePlaces,
  cut: BatchCut,
): Promise<{ readonly row: Columns; readonly evaluation: Columns }> {
  const ids = new RepeatedTexts();
  ids.addAll(plan.evaluationIds);
  const row: ColumnValues[][] = [];
  for (const column of rows.texts) row.push(await column.take(cut, places.rows, turns));
  return { row, evaluation: [await ids.take(cut, places.evaluations, turns)] };
}

const TYPES: Readonly<Record<TableColumn["type"], ColumnType>> = {
  text: { kind: "text" },
  integer: { kind: "integer", bits: 32, signed: true },
  double: { kind: "float", bits: 64 },
  boolean: { kind: "boolean" },
};

function joinColumns(
  columns: readonly TableColumn[],
  cut: BatchCut,
  found: Readonly<Record<TableSubject, Columns>>,
): Table {
  const schema = encodeSchema(columns.map(({ name, type }) => ({ name, type: TYPES[type] })));
  if (cut.length === 0) return new Table([emptyBatch(schema)]);
  const taken = { row: 0, evaluation: 0, place: 0, trial: 0, score: 0 };
  const parts = columns.map(({ subject }) => found[subject][taken[subject]++] ?? []);
  const batches = batchRanges(cut).map(([from, to], i) => {
    const values = parts.flatMap((part) => part[i] ?? []);
    if (values.length < columns.length) throw new TypeError("a column without values");
    return encodeBatch(schema, { length: to - from, columns: values });
  });
  return new Table(batches);
}
