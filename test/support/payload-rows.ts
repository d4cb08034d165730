import { writeJson, type Json } from "../../src/model/json.ts";
import { encodeRows } from "../../src/view/payload/encode.ts";
import { packedSize, packNumbers } from "../../src/view/payload/number-column.ts";
import {
  KIND,
  type LeftOut,
  type PayloadColumn,
  type PayloadDimension,
} from "../../src/view/payload/payload-rows.ts";
import { ScoreStore } from "../../src/view/payload/score-column.ts";
import { TextStore } from "../../src/view/payload/text-store.ts";

/** The rows of a report as objects. */
export interface RowObjects {
  readonly evaluations: readonly string[];
  readonly dimensions: readonly PayloadDimension[];
  readonly rows: readonly RowObject[];
  readonly left: LeftOut;
}

export interface RowObject {
  readonly digest: string;
  /** Undefined where it is left out. */
  readonly input: Json | undefined;
  /** By evaluation. */
  readonly trials: readonly (readonly TrialObject[])[];
}

export interface TrialObject {
  /** By dimension: null where the score is null, undefined where nothing is there. */
  readonly scores: readonly ScoreObject[];
  readonly output?: Json;
  readonly latency: number | null;
  readonly tokens: number | null;
  readonly error: string | null;
  readonly texts?: { readonly [name: string]: string };
}

type ScoreObject = number | boolean | null | undefined;

/** The text of these rows in a report. */
export async function encodeObjects(objects: RowObjects): Promise<string> {
  const { rows, ...rest } = objects;
  const text = await encodeRows({ ...rest, rowCount: rows.length, columns: columnsOf(objects) });
  return text ?? "";
}

function columnsOf({ rows, dimensions }: RowObjects): PayloadColumn[] {
  const groups = rows.flatMap((row) => row.trials);
  const trials = groups.flat();
  const counts = groups.map((group) => group.length);
  return [
    texts(
      "digests",
      rows.map((row) => row.digest),
    ),
    texts(
      "inputs",
      rows.map((row) => jsonText(row.input)),
    ),
    { name: "counts", size: packedSize(counts.length), parts: () => [packNumbers(counts)] },
    ...dimensions.flatMap((_, place) =>
      scores(trials.map((trial) => trial.scores[place])).columns(`kinds ${place}`, `numbers ${place}`),
    ),
    ...scores(trials.map((trial) => trial.latency)).columns("latency known", "latency"),
    ...scores(trials.map((trial) => trial.tokens)).columns("tokens known", "tokens"),
    texts(
      "errors",
      trials.map((trial) => trial.error ?? undefined),
    ),
    texts(
      "texts",
      trials.map((trial) => jsonText(trial.texts)),
    ),
    texts(
      "outputs",
      trials.map((trial) => jsonText(trial.output)),
    ),
  ];
}

function texts(name: string, values: readonly (string | undefined)[]): PayloadColumn {
  const store = new TextStore(values.length);
  for (const [place, value] of values.entries()) if (value !== undefined) store.add(place, value);
  return store.column(name);
}

function scores(values: readonly ScoreObject[]): ScoreStore {
  const store = new ScoreStore(values.length);
  for (const [place, value] of values.entries()) {
    if (typeof value === "number") store.setNumber(place, value);
    else if (value !== undefined)
      store.setKind(place, value === null ? KIND.null : value ? KIND.yes : KIND.no);
  }
  return store;
}

function jsonText(value: Json | undefined): string | undefined {
  return value === undefined ? undefined : writeJson(value);
}
