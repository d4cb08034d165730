import { EvalcubeError } from "../../errors.ts";
import type { JsonObject } from "../../model/json.ts";
import { FileError } from "../terminal/failure.ts";
import type { Suite, SuiteScore, Value } from "./suite.ts";

/** Files of a later format are refused. */
const FORMAT = 1;

/** What the metadata of a file says of its evaluations: all but ids and values. */
interface Description {
  readonly format: number;
  readonly evaluations: readonly (Omit<Suite, "id" | "rows" | "errors" | "scores"> & {
    readonly scores: readonly (Omit<SuiteScore, "values"> & { readonly column: string })[];
  })[];
}

/** Writes evaluations to a Parquet file: a record for each row, without inputs, outputs, reasons and texts of errors. */
export async function saveBaseline(file: string, suites: readonly Suite[]): Promise<void> {
  const { replaceFile, writeDescribed } = await import("../on-use/on-use.ts");
  const keys = [...new Set(suites.flatMap(({ scores }) => scores.map(keyOf)))].toSorted();
  const columnOf = (score: SuiteScore) => `score_${keys.indexOf(keyOf(score))}`;
  const evaluations = suites.map(({ id: _id, rows: _rows, errors: _errors, scores, ...one }) => ({
    ...one,
    scores: scores.map((score) => ({ path: score.path, binary: score.binary, column: columnOf(score) })),
  }));
  const description: Description = { format: FORMAT, evaluations };
  const columns = new Map([
    ["evaluation", "INTEGER"] as const,
    ["row", "BLOB"] as const,
    ["errors", "BOOLEAN[]"] as const,
    ...suites.flatMap(({ scores }) =>
      scores.map((score) => [columnOf(score), score.binary ? "BOOLEAN[]" : "DOUBLE[]"] as const),
    ),
  ]);
  const records = suites.flatMap((suite, i) => recordsOf(suite, i, columnOf));
  const text = JSON.stringify(description);
  await replaceFile(file, (temporary) => writeDescribed(temporary, columns, records, text));
}

/** What has a column of its own. */
function keyOf({ path, binary }: SuiteScore): string {
  return JSON.stringify([path, binary]);
}

function recordsOf(
  { rows, errors, scores }: Suite,
  evaluation: number,
  columnOf: (score: SuiteScore) => string,
): JsonObject[] {
  const ordered = [...rows.entries()].toSorted(([, a], [, b]) => (a < b ? -1 : 1));
  return ordered.map(([i, row]) => ({
    evaluation,
    row: Buffer.from(row, "hex").toString("base64"),
    errors: errors[i] ?? [],
    ...Object.fromEntries(scores.map((score) => [columnOf(score), numbersAt(score, i)])),
  }));
}

/** Among numbers, true and false are 1 and 0. */
function numbersAt({ binary, values }: SuiteScore, row: number): readonly Value[] {
  const own = values[row] ?? [];
  return binary ? own : own.map((value) => (value === null ? null : Number(value)));
}

/** Reads such a file, called `shown` in errors. Throws where it is damaged, none, or of a later format. */
export async function readBaseline(file: string, shown: string): Promise<Suite[]> {
  const { readDescribed } = await import("../on-use/on-use.ts");
  const found = await readDescribed(file).catch((error: unknown) => {
    throw error instanceof EvalcubeError ? new FileError(error.message.replace(file, shown)) : error;
  });
  const description = JSON.parse(found?.description ?? "null") as Description | null;
  if (found === null || description === null)
    throw new FileError(`${shown} is no saved baseline; evalcube ci --save writes one`);
  if (description.format > FORMAT)
    throw new FileError(
      `${shown} is a saved baseline of format ${description.format}, which a later version of evalcube wrote; this one reads format ${FORMAT}`,
    );
  return description.evaluations.map((one, i) => {
    const own = found.records.filter(({ evaluation }) => evaluation === i);
    const lists = (column: string) => own.map((record) => (record[column] ?? []) as Value[]);
    return {
      ...one,
      id: one.name,
      rows: own.map(({ row }) => Buffer.from(row as string, "base64").toString("hex")),
      errors: lists("errors").map((list) => list.map(Boolean)),
      scores: one.scores.map(({ column, ...score }) => ({ ...score, values: lists(column) })),
    };
  });
}
