import type { BatchCut } from "../arrow/batch-cut.ts";
import { PlacedTexts } from "../arrow/placed-texts.ts";
import { placedBooleans, placedDoubles, type PlacedValues } from "../arrow/placed-values.ts";
import { compileTableScores, compileTableScoreTexts, compileTableTrials } from "../compile/table-parts.ts";
import { tableColumns } from "../compile/trial-table.ts";
import type { ColumnChunk, ColumnValues } from "../model/columns.ts";
import type { Session } from "../model/session.ts";
import type { ScoreColumn, TrialTablePlan } from "../plan/trial-table.ts";
import { integersOf, textsOf } from "./chunk-columns.ts";
import type { TablePlaces } from "./table-places.ts";

/** The columns of trials in their order, a list of batches each. */
export async function readTrialColumns(
  session: Session,
  plan: TrialTablePlan,
  places: TablePlaces,
  cut: BatchCut,
): Promise<ColumnValues[][]> {
  const lengths = places.lengths.values();
  const columns: (PlacedTexts | PlacedValues)[] = [];
  for (const { subject, type } of tableColumns(plan)) {
    if (subject !== "trial") continue;
    const texts = type === "text" ? lengths.next().value : undefined;
    columns.push(
      texts === undefined ? placedDoubles(places.length) : await PlacedTexts.make(cut, texts, session.turns),
    );
  }
  for await (const chunk of session.chunks(compileTableTrials(plan))) {
    const at = places.of(integersOf(chunk, 0));
    for (const [i, column] of columns.entries()) {
      if (column instanceof PlacedTexts) column.place(at, textsOf(chunk, i + 1), 0, chunk.length);
      else placeDoubles(column, at, chunk, i + 1, 0, chunk.length);
    }
  }
  return columns.map((column) => column.take(cut));
}

/** The scores of a table: values of fixed width, and how long texts are, for the columns that hold them. */
export interface TableScores {
  readonly values: ReadonlyMap<ScoreColumn, PlacedValues>;
  readonly lengths: ReadonlyMap<ScoreColumn, Int32Array>;
}

export async function readTableScores(
  session: Session,
  plan: TrialTablePlan,
  places: TablePlaces,
): Promise<TableScores> {
  const values = new Map<ScoreColumn, PlacedValues>();
  const lengths = new Map<ScoreColumn, Int32Array>();
  for (const column of plan.scoreColumns) {
    if (column.type === "text") lengths.set(column, new Int32Array(places.length).fill(-1));
    else
      values.set(
        column,
        column.type === "double" ? placedDoubles(places.length) : placedBooleans(places.length),
      );
  }
  if (plan.scoreColumns.length === 0) return { values, lengths };
  const columns = new Map(plan.scoreColumns.map((column) => [column.pathKey, column]));
  for await (const chunk of session.chunks(compileTableScores(plan))) {
    const at = places.of(integersOf(chunk, 0));
    for (const { value, from, to } of runsOf(integersOf(chunk, 1))) {
      const column = columns.get(value);
      if (column === undefined) continue;
      const target = values.get(column);
      if (target !== undefined) placeDoubles(target, at, chunk, 2, from, to);
      else placeLengths(lengths.get(column), at, integersOf(chunk, 3), from, to);
    }
  }
  return { values, lengths };
}

function placeDoubles(
  target: PlacedValues,
  at: Int32Array,
  chunk: ColumnChunk,
  index: number,
  from: number,
  to: number,
): void {
  const column = chunk.columns[index];
  if (column?.kind !== "doubles") throw new TypeError(`column ${index} has no doubles`);
  target.place(at, column.values, column.validity, from, to);
}

function placeLengths(
  target: Int32Array | undefined,
  at: Int32Array,
  lengths: Int32Array,
  from: number,
  to: number,
): void {
  if (target === undefined) return;
  for (let i = from; i < to; i++) {
    const place = at[i] ?? -1;
    if (place >= 0) target[place] = lengths[i] ?? -1;
  }
}

/** The columns of scores in their order, a list of batches each. */
export async function takeScoreColumns(
  session: Session,
  plan: TrialTablePlan,
  places: TablePlaces,
  scores: TableScores,
  cut: BatchCut,
): Promise<ColumnValues[][]> {
  const texts = new Map<number, PlacedTexts>();
  for (const [{ pathKey }, lengths] of scores.lengths)
    texts.set(pathKey, await PlacedTexts.make(cut, lengths, session.turns));
  if (texts.size > 0) await placeScoreTexts(session, plan, places, texts);
  return plan.scoreColumns.map((column) => {
    const placed = scores.values.get(column) ?? texts.get(column.pathKey);
    return placed?.take(cut) ?? [];
  });
}

async function placeScoreTexts(
  session: Session,
  plan: TrialTablePlan,
  places: TablePlaces,
  texts: ReadonlyMap<number, PlacedTexts>,
): Promise<void> {
  for await (const chunk of session.chunks(compileTableScoreTexts(plan))) {
    const at = places.of(integersOf(chunk, 0));
    for (const { value, from, to } of runsOf(integersOf(chunk, 1)))
      texts.get(value)?.place(at, textsOf(chunk, 2), from, to);
  }
}

interface Run {
  readonly value: number;
  readonly from: number;
  readonly to: number;
}

/** Scores of one place mostly follow one another. */
function* runsOf(values: Int32Array): Generator<Run, void, undefined> {
  let from = 0;
  for (let to = 1; to <= values.length; to++) {
    if (to < values.length && values[to] === values[from]) continue;
    yield { value: values[from] ?? 0, from, to };
    from = to;
  }
}
