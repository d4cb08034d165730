import { z } from "zod";
import { schemaError, WORDING } from "../../model/schema-issues.ts";
import type { Answers, Question } from "../answers.ts";
import { questionShape } from "../report-options.ts";
import type { InputField } from "../../model/field-path.ts";
import type { EvalResultsRequest } from "../../request/eval-results-request.ts";
import type { EvalResultsResponse } from "../../respond/query/response.ts";
import { scoreKey } from "../words/score.ts";
import { literalText } from "../words/filter-words.ts";
import { projectPath, type Service } from "./service.ts";

/** What a view asks of a project. */
export interface ViewQuestion extends Omit<Question, "title"> {
  /** How many of the first rows are told, in the order of the page; null: none. */
  readonly first_rows?: number | null | undefined;
}

const MOST_ROWS = 1000;

/** The wire format of the question. */
export const viewQuestion = z
  .strictObject({
    ...questionShape,
    first_rows: z
      .int()
      .min(1)
      .max(MOST_ROWS)
      .nullish()
      .describe("How many rows come with the answer. Default: none."),
  })
  .meta({ id: "ViewRequest" });

/** Checks a question that may come from anywhere. Throws `RequestError` with every issue found. */
export function checkViewQuestion(body: unknown): ViewQuestion {
  const parsed = viewQuestion.safeParse(body, WORDING);
  if (!parsed.success) throw schemaError(parsed.error);
  return body as ViewQuestion;
}

const MOST_VALUES = 100;

/** Values of a field as the form of filters reads them, those of most rows first, whatever the filters; none where they are not known. */
export async function fieldValues(
  service: Service,
  { project, evaluations, summary, whole, question: asked }: Answers,
  field: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (field.startsWith("scores.")) {
    const of = (whole ?? summary).evaluations.flatMap((one) => one.scorer_stats);
    const own = of.filter((stats) => `scores.${scoreKey(stats)}` === field);
    return own.some((stats) => stats.value_type === "binary") ? ["true", "false"] : [];
  }
  if (!field.startsWith("inputs.")) return [];
  const question: EvalResultsRequest = {
    include_predict_and_score_children: asked.include_predict_and_score_children,
    evaluation_call_ids: evaluations.map(({ id }) => id),
    include_rows: false,
    include_summary: true,
    by: field as InputField,
    max_slices: MOST_VALUES,
  };
  const path = projectPath(project, "eval_results/query");
  const answer = await service.post(path, question, signal);
  const { summary: found } = answer as EvalResultsResponse;
  return (found?.slicing?.values ?? []).flatMap(({ value }) => value.map(literalText));
}
