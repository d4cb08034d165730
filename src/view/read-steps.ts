import type { EvalResultsRequest } from "../request/eval-results-request.ts";
import type { StepsRequest } from "../request/steps-request.ts";
import type { DiffAnswer } from "../respond/steps/diff.ts";
import type { EvaluationTools, ToolsAnswer } from "../respond/steps/tools-answer.ts";
import type { Summary } from "../respond/summary/scorer-stats.ts";
import type { AnswerSource } from "./answer-source.ts";
import { memberAtFault } from "./latest-runs.ts";
import { scopeOf, type Answers, type PageSteps, type Question } from "./model/answers.ts";
import { headlineOf } from "./model/scores.ts";

/** Evaluations of which a page tells steps. */
const MOST_EVALUATIONS = 20;
/** Tools of each that a page shows; and all that a request can ask for. */
export const MOST_TOOLS = 20;
const ALL_TOOLS = 10_000;

/**
 * What agents did in the trials of a page; null where none of them has a step, for which nothing is asked. `usage` is
 * the summary that tells what rows used.
 */
export async function readPageSteps(
  source: AnswerSource,
  answers: Pick<Answers, "evaluations" | "baseline" | "summary" | "whole">,
  usage: Summary,
  question: Question,
): Promise<PageSteps | null> {
  if (usage.evaluations.every((one) => one.usage?.steps === undefined)) return null;
  const { baseline, evaluations } = answers;
  const ids = evaluations
    .map(({ id }) => id)
    .toSorted((a, b) => Number(b === baseline) - Number(a === baseline));
  const { filters, filter_logic_operator, confidence } = question;
  const score = headlineOf({ ...answers, question });
  const success = score?.value_type === "binary" ? score.key : null;
  const scope = {
    evaluation_call_ids: ids.slice(0, MOST_EVALUATIONS),
    filters,
    filter_logic_operator,
    success,
  };
  const tools = await readTools(source, { ...scope, confidence });
  if (tools === null) return null;
  const differences = [];
  for (const { evaluation_call_id: id } of tools.success === null ? [] : tools.evaluations) {
    const asked = { ...scope, evaluation_call_ids: [id], success: tools.success };
    differences.push({ evaluation_call_id: id, ...(await readDifferences(source, asked)) });
  }
  const stopped = await readStopped(source, {
    ...scopeOf(question),
    evaluation_call_ids: scope.evaluation_call_ids,
    success: tools.success,
  });
  return { tools, differences, stopped, left_out: ids.length - scope.evaluation_call_ids.length };
}

/** Null where no trial has a step, or a filter names what steps do not know, as a derived score. */
async function readTools(source: AnswerSource, request: StepsRequest): Promise<ToolsAnswer | null> {
  try {
    const answer = await source.steps({ ...request, view: "tools", limit: ALL_TOOLS });
    if (answer.view !== "tools") throw new TypeError("steps were not told by tool");
    return answer.evaluations.some((one) => one.trials_with_steps > 0) ? shownTools(answer) : null;
  } catch (error) {
    const member = memberAtFault(error);
    if (member === "success" && request.success != null)
      return readTools(source, { ...request, success: null });
    if (member === "filters") return null;
    throw error;
  }
}

/** The answer with those tools alone that a page may show: the first of each evaluation, and what goes with success. */
function shownTools(answer: ToolsAnswer): ToolsAnswer {
  const names = new Set(
    answer.evaluations.flatMap(({ tools }) =>
      tools.filter((one, i) => i < MOST_TOOLS || one.association !== "not_shown").map(({ name }) => name),
    ),
  );
  const shown = (one: EvaluationTools) => ({
    ...one,
    tools: one.tools.filter(({ name }) => names.has(name)),
  });
  return { ...answer, evaluations: answer.evaluations.map(shown) };
}

/** Why trials stopped; none where no trial says it. */
async function readStopped(source: AnswerSource, request: EvalResultsRequest): Promise<PageSteps["stopped"]> {
  const asked = { ...request, include_rows: false, include_summary: true, include_stop_reasons: true };
  const { summary } = await source.query(asked);
  const stopped = (summary?.evaluations ?? []).map((one) => ({
    evaluation_call_id: one.evaluation_call_id,
    stop_reasons: one.stop_reasons ?? [],
    other_stop_reason_count: one.other_stop_reason_count ?? 0,
  }));
  const isTold = stopped.some((one) => one.stop_reasons.some(({ reason }) => reason !== null));
  return isTold ? stopped : [];
}

async function readDifferences(source: AnswerSource, request: StepsRequest): Promise<DiffAnswer> {
  const answer = await source.steps({ ...request, view: "diff", limit: 0 });
  if ("totals" in answer) return answer;
  throw new TypeError("differences were not told by evaluation");
}
