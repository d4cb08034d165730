import type { EvalResultsRequest } from "../../request/eval-results-request.ts";
import type { ResultRow, Trial } from "../../respond/query/response.ts";
import { counted, countText } from "../../words/figures.ts";
import { ARGUMENTS, argumentsOf } from "../base/arguments.ts";
import { named, plain } from "../base/naming.ts";
import { commandRequest, tool } from "../base/tool.ts";

export const rows = tool({
  name: "rows",
  title: "Find rows",
  description:
    'Which rows moved, are missing, hold a text, or pass a filter? Each with its input and, for each run, the scores of its trials. Start from moved, such as {"field": "scores.correct", "baseline": "latest~1", "direction": "down"}. Scores are those of trials, not means. error stands where a trial failed; include_outputs takes room. Next: row with a row_digest, to read all of one.',
  input: {
    ...argumentsOf("project", "evaluations", "filters", "moved", "missing", "search", "sort_by"),
    ...argumentsOf("require_intersection", "include_outputs", "limit", "cursor"),
    search: ARGUMENTS.search.describe("in inputs and outputs"),
    limit: ARGUMENTS.limit.describe("default: as many as fit"),
  },
  quotes: true,
  run: async (asked) => {
    const { engine, project, given, signal, offset, maxBytes } = asked;
    const { evaluations: evaluation_call_ids, limit, include_outputs = false, ...rest } = given;
    const wanted = { ...rest, evaluation_call_ids, include_outputs, ...WHOLE };
    const { request, warned } = await named<EvalResultsRequest>(asked, wanted);
    const most = Math.min(limit ?? MOST_ROWS, Math.ceil(maxBytes / SMALLEST_ROW));
    const page = { ...request, limit: most, offset };
    const answer = await engine.queryEvalResults(project, page, { signal });
    const trialOf = ({ scores, error, model_output: output }: Trial) => ({
      scores,
      ...(error == null ? {} : { error }),
      ...(include_outputs ? { output } : {}),
    });
    const total = answer.total_rows;
    return {
      warnings: warned(answer.warnings),
      items: answer.rows.map((one) => toldRow(one, trialOf)),
      first: offset,
      total,
      says: (shown) => [`${counted(total, "row")}, ${countText(shown)} shown`],
      data: (shown) => ({ total_rows: total, rows: shown }),
      request: (cut) => commandRequest("query", project, cut || limit !== most ? request : page),
    };
  },
});

/** Members of a request that asks for all of a row. */
export const WHOLE = { include_raw_data_rows: true, resolve_row_refs: true, include_trial_errors: true };

const MOST_ROWS = 1000;
/** No row takes fewer bytes: its digest and the names of members alone do. */
const SMALLEST_ROW = 100;

/** One row of an answer: its input, and each trial as `trialOf` tells it. */
export function toldRow(
  { row_digest, raw_data_row: input, evaluations }: ResultRow,
  trialOf: (one: Trial) => object,
) {
  return plain({
    row_digest,
    input,
    evaluations: evaluations.map((one) => ({ ...one, trials: one.trials.map(trialOf) })),
  }) as object;
}
