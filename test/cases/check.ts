import { differences } from "../oracle/compare.ts";
import { fromPlain, isList, member } from "../oracle/json.ts";
import type { Json } from "../oracle/json.ts";
import type { Expected } from "./load.ts";

type Response = { readonly rows: unknown; readonly total_rows: unknown; readonly summary?: unknown };

// Where a response departs from what a case expects, warnings aside; empty when it does not.
export function caseDifferences(response: Response, expected: Expected): string[] {
  const rows = items(fromPlain(response.rows));
  const trials = rows
    .flatMap((row) => items(member(row, "evaluations")))
    .flatMap((evaluation) => items(member(evaluation, "trials")));
  const compared: [string, Json, Json | undefined][] = [
    ["digests", rows.map((row) => member(row, "row_digest")), expected.digests],
    ["trial_ids", trials.map(idOf), expected.trial_ids],
    ["rows", rows, expected.rows],
    ["total_rows", fromPlain(response.total_rows), expected.total_rows],
    ["summary", fromPlain(response.summary), expected.summary],
    ...[...expected.trials].map(([id, trial]): [string, Json, Json] => [
      `trial ${id}`,
      trials.find((candidate) => idOf(candidate) === id) ?? null,
      trial,
    ]),
  ];
  return compared.flatMap(([path, actual, wanted]) =>
    wanted === undefined ? [] : differences(path, actual, wanted, "named"),
  );
}

function items(value: Json): readonly Json[] {
  return isList(value) ? value : [];
}

function idOf(trial: Json): Json {
  return member(trial, "predict_and_score_call_id");
}
