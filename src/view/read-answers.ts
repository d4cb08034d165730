import type { EvaluationEntry } from "../engine/catalog/list-evaluations.ts";
import type { CompareRequest } from "../request/compare-request.ts";
import type { EvalResultsRequest } from "../request/eval-results-request.ts";
import type { ComparisonAnswer } from "../respond/compare/comparison.ts";
import type { EvalResultsResponse } from "../respond/query/response.ts";
import type { Summary } from "../respond/summary/scorer-stats.ts";
import type { Answers, Question, Scope } from "./answers.ts";
import { bestOf, headlineOf } from "./model/scores.ts";

/** Where answers come from: an engine, or a service. Faults of a request reject with an error that has their `path`. */
export interface AnswerSource {
  readonly list: () => Promise<readonly EvaluationEntry[]>;
  readonly query: (request: EvalResultsRequest) => Promise<EvalResultsResponse>;
  readonly compare: (request: CompareRequest) => Promise<ComparisonAnswer>;
}

/** How many evaluations a page can have. */
const MOST_EVALUATIONS = 200;

/** Makes the error of a question that has no answer. */
type Refuse = (place: readonly (string | number)[], message: string) => Error;

/** The values of k that are asked for where nobody names them; those that no row has trials for are not shown. */
const USUAL_K = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 20, 24, 32, 48, 64, 100];
const BINS = 40;

/** Asks everything that a page shows but its rows. */
export async function readAnswers(
  source: AnswerSource,
  project: string,
  question: Question,
  refuse: Refuse,
): Promise<Answers> {
  const evaluations = chosen(await source.list(), question, refuse);
  const request = scopeOf(question);
  const summary = await readSummary(source, evaluations, question);
  const baseline = baselineOf(evaluations, summary, question, refuse);
  const candidates = summary.evaluations
    .filter((one) => one.evaluation_call_id !== baseline && one.trial_count > 0)
    .map((one) => one.evaluation_call_id);
  const comparison =
    baseline === null || candidates.length === 0
      ? null
      : await readComparison(source, comparing(question, baseline, candidates));
  return {
    project,
    title: question.title ?? null,
    evaluations,
    baseline,
    scorers: question.scorers ?? null,
    lowerIsBetter: question.lower_is_better ?? [],
    margin: question.margin ?? null,
    request,
    summary,
    comparison,
  };
}

function chosen(
  list: readonly EvaluationEntry[],
  { evaluations: ids }: Question,
  refuse: Refuse,
): readonly EvaluationEntry[] {
  const known = new Map(list.map((one) => [one.id, one]));
  const found =
    ids == null
      ? list
      : [...new Set(ids)].map((id, i) => {
          const one = known.get(id);
          if (one !== undefined) return one;
          throw refuse(["evaluations", i], `evaluation ${JSON.stringify(id)} is not in this project`);
        });
  if (found.length <= MOST_EVALUATIONS) return found;
  throw refuse(
    ["evaluations"],
    `a page shows at most ${MOST_EVALUATIONS} evaluations, not ${found.length}; name those to show`,
  );
}

/** The members of a question that say which rows and scores there are. */
function scopeOf(question: Question): Scope {
  const { filters, filter_logic_operator, include_predict_and_score_children } = question;
  const { include_feedback, feedback_by, derived_scores } = question;
  const members = {
    filters,
    filter_logic_operator,
    include_predict_and_score_children,
    include_feedback,
    feedback_by,
    derived_scores,
  };
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value != null));
}

async function readSummary(
  source: AnswerSource,
  evaluations: readonly EvaluationEntry[],
  question: Question,
): Promise<Summary> {
  const { summary } = await source.query({
    ...scopeOf(question),
    evaluation_call_ids: evaluations.map(({ id }) => id),
    include_rows: false,
    include_summary: true,
    include_uncertainty: true,
    include_usage: true,
    histogram_bins: BINS,
    pass_k: question.pass_k ?? USUAL_K,
  });
  return summary ?? { row_count: 0, evaluations: [] };
}

function baselineOf(
  evaluations: readonly EvaluationEntry[],
  summary: Summary,
  { baseline, scorers, lower_is_better: lower }: Question,
  refuse: Refuse,
): string | null {
  const measured = summary.evaluations.filter((one) => one.trial_count > 0);
  if (baseline != null) {
    if (evaluations.every(({ id }) => id !== baseline))
      throw refuse(["baseline"], `${JSON.stringify(baseline)} is none of the evaluations of this page`);
    if (measured.some(({ evaluation_call_id: id }) => id === baseline)) return baseline;
    throw refuse(["baseline"], `evaluation ${JSON.stringify(baseline)} has no trials`);
  }
  const first = measured[0]?.evaluation_call_id ?? null;
  const headline = headlineOf(summary, scorers ?? null);
  return measured.length <= 2 || headline === null ? first : bestOf(summary, headline, lower ?? []);
}

function comparing(question: Question, baseline: string, candidates: readonly string[]): CompareRequest {
  const { scorers, lower_is_better, confidence, adjust, margin, cluster_by } = question;
  return {
    ...scopeOf(question),
    baseline,
    candidates,
    scorers,
    lower_is_better,
    confidence,
    adjust,
    margin,
    cluster_by,
  };
}

/** Null where there is nothing to compare: no two evaluations share rows, or no score of numbers or booleans. */
async function readComparison(
  source: AnswerSource,
  request: CompareRequest,
): Promise<ComparisonAnswer | null> {
  try {
    return await source.compare(request);
  } catch (error) {
    if (saysNothingToCompare(error)) return null;
    throw error;
  }
}

/** The library refuses a comparison as a whole at the baseline, and one that shares no rows at a candidate. */
function saysNothingToCompare(error: unknown): boolean {
  if (!(error instanceof Error) || !("path" in error) || !Array.isArray(error.path)) return false;
  const [member] = error.path as unknown[];
  return member === "baseline" || member === "candidates";
}
