import { stat } from "node:fs/promises";
import type { JsonObject } from "../../model/json.ts";
import { usageFault } from "../../request/meaningless.ts";
import { USED } from "../gates/parse-gate.ts";
import type { Suite, SuiteScore, Value } from "./suite.ts";

/**
 * Writes evaluations to a Parquet file: a record for each row, without inputs, outputs, reasons and texts of errors.
 */
export async function saveBaseline(file: string, suites: readonly Suite[]): Promise<void> {
  const { replaceFile, writeDescribed } = await import("../on-use/on-use.ts");
  const keys = [...new Set(suites.flatMap(({ scores }) => scores.map(keyOf)))].toSorted();
  const columnOf = (score: SuiteScore) => `score_${keys.indexOf(keyOf(score))}`;
  const nullsOf = (score: SuiteScore) => `nulls_${keys.indexOf(keyOf(score))}`;
  const evaluations = suites.map(
    ({ id: _id, rows: _rows, contents: _contents, keys: _keys, errors: _errors, usage: _usage, ...one }) => ({
      ...one,
      clusters: one.clusters?.field ?? null,
      scores: one.scores.map((score) => ({
        path: score.path,
        binary: score.binary,
        column: columnOf(score),
        ...(hasNulls(score) ? { nulls: nullsOf(score) } : {}),
        ...(score.steps === true ? { steps: true } : {}),
      })),
    }),
  );
  const description = { format: 1, evaluations };
  const columns = new Map([
    ["evaluation", "INTEGER"] as const,
    ["row", "BLOB"] as const,
    ["content", "BLOB"] as const,
    ...(suites.some(({ clusters }) => clusters !== null) ? [["cluster", "BLOB"] as const] : []),
    ["errors", "BOOLEAN[]"] as const,
    ...USED.map((name) => [`usage_${name}`, "FLOAT"] as const),
    ...suites.flatMap(({ scores }) =>
      scores.map((score) => [columnOf(score), score.binary ? "BOOLEAN[]" : "DOUBLE[]"] as const),
    ),
    ...suites.flatMap(({ scores }) =>
      scores.filter(hasNulls).map((score) => [nullsOf(score), "BOOLEAN[]"] as const),
    ),
  ]);
  const records = suites.flatMap((suite, i) => recordsOf(suite, i, columnOf, nullsOf));
  const text = JSON.stringify(description);
  await replaceFile(file, (temporary) => writeDescribed(temporary, columns, records, text));
}

/** What has a column of its own. */
function keyOf({ path, binary }: SuiteScore): string {
  return JSON.stringify([path, binary]);
}

/** Whether trials have no verdict in a score. */
function hasNulls({ values }: SuiteScore): boolean {
  return values.some((trials) => trials.includes(null));
}

function recordsOf(
  { rows, contents, clusters, errors, scores, usage }: Suite,
  evaluation: number,
  columnOf: (score: SuiteScore) => string,
  nullsOf: (score: SuiteScore) => string,
): JsonObject[] {
  const ordered = [...rows.entries()].toSorted(([, a], [, b]) => (a < b ? -1 : 1));
  return ordered.map(([i, row]) => ({
    evaluation,
    row: base64(row),
    content: base64(contents[i] ?? null),
    cluster: base64(clusters?.values[i] ?? null),
    errors: errors[i] ?? [],
    ...Object.fromEntries(USED.map((name) => [`usage_${name}`, usage[name][i] ?? null])),
    ...Object.fromEntries(scores.map((score) => [columnOf(score), numbersAt(score, i)])),
    ...Object.fromEntries(
      scores.filter(hasNulls).map((score) => [nullsOf(score), isNull(score.values[i] ?? [])]),
    ),
  }));
}

function base64(bytes: string | null): string | null {
  return bytes === null ? null : Buffer.from(bytes, "hex").toString("base64");
}

function isNull(values: readonly Value[]): boolean[] {
  return values.map((value) => value === null);
}

/** Among numbers, true and false are 1 and 0. */
function numbersAt({ binary, values }: SuiteScore, row: number): (number | boolean | null)[] {
  return (values[row] ?? []).map((value) => (value == null ? null : binary ? value : Number(value)));
}

/** The most of such a file. */
const MOST_BYTES = 2 ** 30;

/**
 * Reads such a file, called `shown` in errors. Rejects with `RequestError` where it is none, damaged, or of a later
 * format.
 */
export async function readBaseline(file: string, shown: string): Promise<Suite[]> {
  const fault = (msg: string) => usageFault(["--baseline"], `${shown} is no saved baseline: ${msg}`);
  const { size } = await stat(file);
  if (size > MOST_BYTES) throw fault("it has more than 1 GiB");
  const { readDescribed, suitesOf } = await import("../on-use/on-use.ts");
  const found = await readDescribed(file).catch((error: unknown) => {
    const [reason = ""] = String(error instanceof Error ? error.message : error).split("\n");
    throw fault(reason.replaceAll(file, shown));
  });
  if (found === null) throw fault("it has no description; evalcube ci --save writes one");
  return suitesOf(found.description, found.records, fault);
}
