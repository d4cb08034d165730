import { Parking } from "../../../arrow/views/parking.ts";
import { PlacedViews } from "../../../arrow/views/placed-views.ts";
import { placedBooleans, placedDoubles, type PlacedValues } from "../../../arrow/views/placed-values.ts";
import { compileTableScores, compileTableTrials } from "../../../compile/table/in-memory-parts.ts";
import { tableColumns } from "../../../compile/table/trial-table.ts";
import type { ChunkDoubles, ColumnValues } from "../../../store/columns.ts";
import type { Session } from "../../../store/session.ts";
import type { ScoreColumn, TrialTablePlan } from "../../../plan/trial-table.ts";
import type { TablePlaces } from "./trial-order.ts";

type PlacedColumn = PlacedViews | PlacedValues;

/** The columns of trials in their order. Reading begins before the places are known. */
export function readTrialColumns(
  session: Session,
  plan: TrialTablePlan,
  placing: Promise<TablePlaces>,
): Promise<ColumnValues[]> {
  return placeColumns(session, async (parking) => {
    const target = withPlaces(placing, ({ length }) =>
      tableColumns(plan)
        .filter(({ subject }) => subject === "trial")
        .map(({ type }) => placedColumn(type === "text" ? "text" : "double", length, parking)),
    );
    for await (const chunk of session.chunks(compileTableTrials(plan))) {
      const { find, columns } = await target;
      const places = find(chunk.integers(0));
      for (const [i, column] of columns.entries()) {
        // Memory that is written for the first time, here and there, takes long.
        await session.turns.take();
        if (column instanceof PlacedViews)
          column.place(places, chunk.texts(i + 1, column.memory), 0, chunk.length);
        else column.place(places, chunk.doubles(i + 1), 0, chunk.length);
      }
    }
    return (await target).columns;
  });
}

/** The columns of scores in their order. Reading begins before the places are known. */
export function readScoreColumns(
  session: Session,
  plan: TrialTablePlan,
  placing: Promise<TablePlaces>,
): Promise<ColumnValues[]> {
  if (plan.scoreColumns.length === 0) return Promise.resolve([]);
  return placeColumns(session, async (parking) => {
    const target = withPlaces(
      placing,
      ({ length }) =>
        new Map(plan.scoreColumns.map(({ pathKey, type }) => [pathKey, placedColumn(type, length, parking)])),
    );
    for await (const chunk of session.chunks(compileTableScores(plan))) {
      const { find, columns } = await target;
      const places = find(chunk.integers(0));
      let numbers: ChunkDoubles | null = null;
      for (const { value, from, to } of runsOf(chunk.integers(1))) {
        const column = columns.get(value);
        if (column instanceof PlacedViews) {
          column.place(places, chunk.texts(3, column.memory, from, to), from, to);
        } else column?.place(places, (numbers ??= chunk.doubles(2)), from, to);
      }
    }
    return [...(await target).columns.values()];
  });
}

interface Target<Columns> {
  readonly find: (keys: Int32Array) => Int32Array;
  readonly columns: Columns;
}

function withPlaces<Columns>(
  placing: Promise<TablePlaces>,
  columnsOf: (places: TablePlaces) => Columns,
): Promise<Target<Columns>> {
  const target = placing.then((places) => ({ find: places.trials.finder(), columns: columnsOf(places) }));
  // Whoever reads hears of it at the first chunk, or at the end.
  target.catch(() => undefined);
  return target;
}

/** Columns once all their values are at their places. */
async function placeColumns(
  { turns }: Session,
  place: (parking: Parking) => Promise<readonly PlacedColumn[]>,
): Promise<ColumnValues[]> {
  const parking = new Parking();
  try {
    const columns = await place(parking);
    const parked = await parking.collect(turns);
    const taken: ColumnValues[] = [];
    for (const column of columns) {
      await turns.take();
      taken.push(column.take(parked));
    }
    return taken;
  } finally {
    parking.close();
  }
}

function placedColumn(type: ScoreColumn["type"], length: number, parking: Parking): PlacedColumn {
  if (type === "text") return new PlacedViews(length, parking);
  return type === "double" ? placedDoubles(length) : placedBooleans(length);
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
