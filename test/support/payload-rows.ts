import type { Json } from "../../src/model/json.ts";
import { PackedText } from "../../src/view/file/packed-text.ts";
import type { LeftOut } from "../../src/view/payload/packed-rows.ts";

/** The rows of a report as objects. */
export interface RowObjects {
  readonly evaluations: readonly string[];
  readonly dimensions: readonly string[];
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
  readonly texts?: readonly (readonly [name: string, text: string])[];
}

type ScoreObject = number | boolean | null | undefined;

/** The text of these rows in a report. */
export async function encodeObjects({ rows, evaluations, dimensions, left }: RowObjects): Promise<string> {
  const groups = rows.flatMap((row) => row.trials);
  const trials = groups.flat();
  const lines: unknown[] = [
    { format: 1, evaluations, dimensions, rowCount: rows.length },
    rows.map(({ digest }) => digest),
    groups.map(({ length }) => length),
    trials.map(({ latency }) => latency),
    trials.map(({ tokens }) => tokens),
    trials.map(({ error }) => error),
    trials.map(({ texts }) => texts ?? null),
    // Where nothing is, a column has an empty text.
    ...dimensions.map((_, i) => trials.map(({ scores }) => (scores[i] === undefined ? "" : scores[i]))),
    // No row is edited.
    {},
    ...(left.inputs === "none" ? [] : rows.map(({ input }) => input)),
    ...trials.flatMap(({ output }) => (output === undefined ? [] : [output])),
  ];
  const text = new PackedText(Infinity);
  await text.add(lines.map((line) => `${JSON.stringify(line)}\n`));
  return text.end(JSON.stringify(left));
}
