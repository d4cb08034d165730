import type { RecordBatch } from "apache-arrow";
import type { ColumnsHead, ColumnsPart } from "../../engine/table/columns.ts";
import type { EvalResultsRequest } from "../../request/eval-results-request.ts";
import type { Answers } from "../answers.ts";
import { scoreName, scoresOf } from "../model/scores.ts";
import type { PayloadDimension } from "../payload/payload-rows.ts";
import { texts } from "./batch-columns.ts";
import type { ScorePlace } from "./dimension-places.ts";
import { KeptInputs } from "./kept-inputs.ts";
import { KeptOutputs } from "./kept-outputs.ts";
import { ReportValues } from "./report-values.ts";

/** Rows for a report, in its order. */
export interface ReportRows {
  readonly evaluations: readonly string[];
  readonly dimensions: readonly PayloadDimension[];
  readonly count: number;
  /** Rows of the project, those that the report does not hold included. */
  readonly total: number;
  readonly digests: readonly string[];
  readonly inputs: KeptInputs;
  readonly values: ReportValues;
  readonly outputs: KeptOutputs;
}

/** How many rows a report holds. */
const MOST_ROWS = 250_000;

const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });

/** The rows as the table shows them at first: the largest difference, then the lowest mean. */
export function rowsRequest(answers: Answers, score: string | null): EvalResultsRequest {
  const field = `scores.${score ?? ""}` as const;
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

/** Reads everything but outputs, which are read when they are asked for. `most`: characters that the rows may take. */
export async function readRows(
  parts: AsyncIterator<ColumnsPart>,
  answers: Answers,
  most: number,
): Promise<ReportRows> {
  const head = await readHead(parts);
  const scores = scoresOf(answers.summary);
  const evaluations = answers.evaluations.map(({ id }) => id);
  const digests: string[] = [];
  const inputs = new KeptInputs(most);
  const values = new ReportValues(head, { evaluations, scores, texts: textPlaces(answers) });
  const outputs = new KeptOutputs(head.row_count, parts);
  const addRows = (batch: RecordBatch) => {
    const own = texts(batch, "row_digest");
    for (let record = 0; record < batch.numRows; record++)
      digests.push(DECODER.decode(own(record) ?? undefined));
    inputs.add(batch);
  };
  // In a function, so that no batch is held while the next one is made.
  const addNext = async (): Promise<boolean> => {
    const { done, value: part } = await parts.next();
    if (done === true) return false;
    if (part.kind === "rows") addRows(part.batch);
    else if (part.kind === "trials") values.addTrials(part.batch);
    else if (part.kind === "scores") values.addScores(part.batch);
    else if (part.kind === "texts") values.addTexts(part.batch);
    else if (part.kind === "outputs") outputs.add(part.batch);
    return part.kind !== "outputs";
  };
  while (await addNext());
  return {
    evaluations,
    dimensions: scores.map(({ name, binary }) => ({ name, binary })),
    count: head.row_count,
    total: head.total_rows,
    digests,
    inputs,
    values,
    outputs,
  };
}

async function readHead(parts: AsyncIterator<ColumnsPart>): Promise<ColumnsHead> {
  const { done, value } = await parts.next();
  if (done === true || value.kind !== "head") throw new TypeError("the columns of the rows have no head");
  return value;
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
