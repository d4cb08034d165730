import type { Json } from "../../src/model/json.ts";
import { encodeRows } from "../../src/view/payload/encode.ts";
import { linesOf, type LeftOut, type PayloadDimension } from "../../src/view/payload/payload-rows.ts";

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
  const text = await encodeRows({ ...rest, rowCount: rows.length, ...columnsOf(objects) });
  return text ?? "";
}

function columnsOf({ rows, dimensions }: RowObjects) {
  const groups = rows.flatMap((row) => row.trials);
  const trials = groups.flat();
  return {
    digests: rows.map((row) => row.digest),
    inputs: lines(rows.map((row) => row.input)),
    counts: groups.map((group) => group.length),
    // As a column has it, where nothing is an empty text.
    scores: dimensions.map((_, place) => trials.map(({ scores }) => scores[place] ?? nothing(scores[place]))),
    latency: trials.map(({ latency }) => latency),
    tokens: trials.map(({ tokens }) => tokens),
    errors: lines(trials.map(({ error }) => error ?? undefined)),
    texts: lines(trials.map((trial) => trial.texts)),
    outputs: lines(trials.map(({ output }) => output)),
  };
}

function nothing(value: null | undefined): null | "" {
  return value === undefined ? "" : value;
}

function lines(values: readonly (Json | undefined)[]): Generator<string> {
  return linesOf(values.map((value) => (value === undefined ? "" : JSON.stringify(value))));
}
