import type { InputField } from "../../model/field-path.ts";
import type { EvalResultsRequest } from "../../request/eval-results-request.ts";
import type { EvalResultsResponse } from "../../respond/query/response.ts";
import type { Answers } from "../model/answers.ts";
import { scoreKey } from "../../words/score.ts";
import { literalText } from "../../words/filter-words.ts";
import { projectPath, type Service } from "./service.ts";

const MOST_VALUES = 100;

/**
 * Values of a field as the form of filters reads them, those of most rows first, whatever the filters; none where they
 * are not known.
 */
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
