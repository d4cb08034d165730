import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { SHARED_DATA } from "../support/shared-data.ts";

export interface SharedCall {
  readonly id: string;
  readonly op_name: string;
  readonly parent_id: string | null;
  readonly started_at: string;
  readonly inputs: { readonly example?: unknown };
  readonly output: { readonly scores?: { readonly [key: string]: unknown } };
}

/** The trials of a data set, in the order of the calls of their evaluation. */
export function sharedTrials(dataset: string): SharedCall[] {
  return lines(dataset, "calls.ndjson.gz")
    .map((line) => JSON.parse(line) as SharedCall)
    .filter((call) => call.op_name.includes("Evaluation.predict_and_score"))
    .toSorted((a, b) => (`${a.started_at} ${a.id}` < `${b.started_at} ${b.id}` ? -1 : 1));
}

export function sharedRows(
  dataset: string,
): { readonly digest: string; readonly val: { readonly task_id?: number } }[] {
  return lines(dataset, "rows.ndjson.gz").map((line) => JSON.parse(line) as { digest: string; val: object });
}

export interface SharedRun {
  readonly evaluation_call_id: string;
  readonly run: string;
  readonly trials: number;
  readonly published: { readonly [name: string]: string | number };
}

export function sharedRuns(dataset: string): readonly SharedRun[] {
  const text = readFileSync(new URL(`${dataset}/expected.json`, SHARED_DATA), "utf8");
  return (JSON.parse(text) as { runs: SharedRun[] }).runs;
}

function lines(dataset: string, file: string): string[] {
  return gunzipSync(readFileSync(new URL(`${dataset}/${file}`, SHARED_DATA)))
    .toString("utf8")
    .trimEnd()
    .split("\n");
}
