import { isJsonObject, parseJson, writeJson, type Json } from "../../model/json.ts";
import type { EvalResultsRequest } from "../../request/eval-results-request.ts";
import type { ResultRow } from "../../respond/query/response.ts";
import type { Answers } from "../answers.ts";
import { scoreName, scoresOf, type Score } from "../model/scores.ts";
import type { PayloadRow, PayloadTrial } from "../payload/payload-rows.ts";
import { rowTexts } from "./row-texts.ts";
import { packedTrial, type ScorePlace } from "./trial-values.ts";

/** Rows for a report, in its order. */
export interface ReportRows {
  readonly scores: readonly Score[];
  /** With their inputs, without outputs. */
  readonly rows: readonly PayloadRow[];
  /** The outputs of the first rows, by row, evaluation and trial. */
  readonly outputs: readonly (readonly (readonly Json[])[])[];
  /** Length of the outputs of each of these rows as text. */
  readonly lengths: readonly number[];
  /** Rows of the project, those that the report does not hold included. */
  readonly total: number;
}

/** How many rows a report holds. */
const MOST_ROWS = 250_000;

/** The rows as the table shows them at first: the largest difference, then the lowest mean. */
export function rowsRequest(answers: Answers, score: string | null): EvalResultsRequest {
  const field = `scores.${score ?? ""}`;
  return {
    ...answers.request,
    evaluation_call_ids: answers.evaluations.map(({ id }) => id),
    include_raw_data_rows: true,
    resolve_row_refs: true,
    include_trial_errors: true,
    // No request can name a scorer whose key is empty.
    sort_by:
      score === null || score === ""
        ? []
        : [
            { field, mode: "difference", direction: "desc" },
            { field, direction: "asc" },
          ],
    limit: MOST_ROWS,
  };
}

/** Reads the rows of a response; keeps outputs until their texts are longer than `most`. */
export async function readRows(
  pieces: AsyncIterable<string>,
  answers: Answers,
  most: number,
): Promise<ReportRows> {
  const reader = rowReader(answers, most);
  const texts = rowTexts(pieces);
  for (;;) {
    const next = await texts.next();
    if (next.done === true)
      return { ...reader.read, scores: reader.scores, total: totalOf(next.value, reader) };
    reader.add(parseJson(next.value) as Json & ResultRow);
  }
}

interface RowReader {
  readonly scores: readonly Score[];
  readonly read: {
    readonly rows: PayloadRow[];
    readonly outputs: Json[][][];
    readonly lengths: number[];
  };
  readonly add: (row: ResultRow) => void;
}

function rowReader(answers: Answers, most: number): RowReader {
  const scores = scoresOf(answers.summary);
  const texts = textPlaces(answers);
  const ids = answers.evaluations.map(({ id }) => id);
  const read: RowReader["read"] = { rows: [], outputs: [], lengths: [] };
  let left = most;
  const add = ({ row_digest: digest, raw_data_row: input, evaluations }: ResultRow) => {
    const own = new Map(evaluations.map((one) => [one.evaluation_call_id, one.trials]));
    const trials = ids.map((id) => own.get(id) ?? []);
    read.rows.push({
      digest,
      input,
      trials: trials.map((all) => all.map((one) => packedTrial(one, scores, texts))),
    });
    if (left <= 0) return;
    const outputs = trials.map((all) => all.map((one) => one.model_output));
    const length = writeJson(outputs).length;
    left -= length;
    read.outputs.push(outputs);
    read.lengths.push(length);
  };
  return { scores, read, add };
}

/** Dimensions of which some value is a text. */
function textPlaces({ summary }: Answers): ScorePlace[] {
  const places = summary.evaluations.flatMap(({ scorer_stats: all }) =>
    all
      .filter(
        (stats) =>
          stats.value_type === "text" || stats.numeric_count + stats.pass_known_count < stats.trial_count,
      )
      .map((stats): [string, ScorePlace] => {
        const name = scoreName(stats);
        return [name, { name, scorerKey: stats.scorer_key, path: stats.path }];
      }),
  );
  return [...new Map(places).values()];
}

/** What a response says behind its rows. */
function totalOf(behind: string, { read }: RowReader): number {
  const rest = parseJson(`{"rows":[${behind.slice(behind.indexOf("]"))}`);
  const total = isJsonObject(rest) ? rest["total_rows"] : undefined;
  return typeof total === "number" ? total : read.rows.length;
}

/** The row with its outputs in it. */
export function withOutputs(row: PayloadRow, outputs: readonly (readonly Json[])[]): PayloadRow {
  return {
    ...row,
    trials: row.trials.map((trials, i) =>
      trials.map((trial, k): PayloadTrial => ({ ...trial, output: outputs[i]?.[k] ?? null })),
    ),
  };
}
