import type { EvaluationEntry } from "../engine/catalog/list-evaluations.ts";
import type { CompareRequest } from "../request/compare-request.ts";
import type { EvalResultsRequest } from "../request/eval-results-request.ts";
import type { ComparisonAnswer } from "../respond/compare/comparison.ts";
import type { EvalResultsResponse } from "../respond/query/response.ts";
import type { Summary } from "../respond/summary/scorer-stats.ts";
import type { Answers, AwaitedPart, Question, Scope } from "./answers.ts";
import { bestOf, headlineOf, scoreName, scoresOf } from "./model/scores.ts";
import { unsharedComparison } from "./model/unshared.ts";

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

/** Told the answers as soon as there are any, and again when there are more, but for the last time. */
type Tell = (answers: Answers, awaited: AwaitedPart) => void;

/** Asks everything that a page shows but its rows. With `tell` what takes long is asked last, else all at once. */
export async function readAnswers(
  source: AnswerSource,
  project: string,
  question: Question,
  refuse: Refuse,
  tell?: Tell,
): Promise<Answers> {
  const evaluations = chosen(await source.list(), question, refuse);
  const request = scopeOf(question);
  const members = tell === undefined ? { ...meansOf(question), ...SPREAD } : meansOf(question);
  const summary = await readSummary(source, evaluations, question, members);
  checkScorers(summary, question, refuse);
  const baseline = baselineOf(evaluations, summary, question, refuse);
  const means: Answers = {
    project,
    title: question.title ?? null,
    evaluations,
    baseline,
    scorers: question.scorers ?? null,
    score: question.score ?? null,
    lowerIsBetter: question.lower_is_better ?? [],
    margin: question.margin ?? null,
    request,
    summary,
    comparison: null,
  };
  const asked = comparing(question, baseline, summary);
  const compared = asked === null ? null : readComparison(source, asked, summary, question);
  tell?.(means, "comparison");
  const answers = { ...means, comparison: await compared };
  if (tell === undefined) return answers;
  tell(answers, "spread");
  return {
    ...answers,
    summary: withSpread(summary, await readSummary(source, evaluations, question, SPREAD)),
  };
}

/** What takes as long again as the means, and is not needed for a verdict. */
const SPREAD = { include_usage: true, include_row_counts: true, histogram_bins: BINS } as const;

function meansOf({ pass_k: k }: Question) {
  return { include_uncertainty: true, pass_k: k ?? USUAL_K } as const;
}

/** The summary with what another one of the same evaluations says beyond it. */
function withSpread(summary: Summary, spread: Summary): Summary {
  const others = new Map(spread.evaluations.map((one) => [one.evaluation_call_id, one]));
  return {
    ...summary,
    evaluations: summary.evaluations.map((one) => {
      const other = others.get(one.evaluation_call_id);
      const histograms = new Map(other?.scorer_stats.map((stats) => [scoreName(stats), stats.histogram]));
      return {
        ...one,
        ...(other?.usage === undefined ? {} : { usage: other.usage }),
        ...(other?.row_count === undefined ? {} : { row_count: other.row_count }),
        scorer_stats: one.scorer_stats.map((stats) => {
          const histogram = histograms.get(scoreName(stats));
          return histogram === undefined ? stats : { ...stats, histogram };
        }),
      };
    }),
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

function checkScorers(summary: Summary, { scorers, score }: Question, refuse: Refuse): void {
  if (scoresOf(summary).length === 0) return;
  const named = (scorers ?? []).map((name, i) => ({ name, path: ["scorers", i] as (string | number)[] }));
  if (score != null) named.push({ name: score, path: ["score"] });
  for (const { name, path } of named)
    if (headlineOf({ summary, scorers: null, score: name }) === null)
      throw refuse(path, `no trial has a score ${JSON.stringify(name)} of numbers or of true and false`);
}

/** The members of a question that say which rows and scores there are. */
function scopeOf(scope: Scope): Scope {
  const { filters, filter_logic_operator, include_predict_and_score_children } = scope;
  const { include_feedback, feedback_by, derived_scores } = scope;
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
  members: Partial<EvalResultsRequest>,
): Promise<Summary> {
  const { summary } = await source.query({
    ...scopeOf(question),
    evaluation_call_ids: evaluations.map(({ id }) => id),
    include_rows: false,
    include_summary: true,
    ...members,
  });
  return summary ?? { row_count: 0, evaluations: [] };
}

function baselineOf(
  evaluations: readonly EvaluationEntry[],
  summary: Summary,
  { baseline, scorers, score, lower_is_better: lower }: Question,
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
  const headline = headlineOf({ summary, scorers: scorers ?? null, score: score ?? null });
  return measured.length <= 2 || headline === null ? first : bestOf(summary, headline, lower ?? []);
}

/** Null where there is nothing to compare. */
function comparing(question: Question, baseline: string | null, summary: Summary): CompareRequest | null {
  const candidates = summary.evaluations
    .filter((one) => one.evaluation_call_id !== baseline && one.trial_count > 0)
    .map((one) => one.evaluation_call_id);
  if (baseline === null || candidates.length === 0) return null;
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

/** Null where there is no score of numbers or booleans to compare. */
async function readComparison(
  source: AnswerSource,
  request: CompareRequest,
  summary: Summary,
  question: Question,
): Promise<ComparisonAnswer | null> {
  try {
    return await source.compare(request);
  } catch (error) {
    const member = memberAtFault(error);
    if (member === "baseline") return null;
    if (member !== "candidates") throw error;
    return unsharedComparison(summary, question, await readShared(source, request));
  }
}

/** The library refuses a comparison without scores at the baseline, and one whose candidates share no rows at the first. */
function memberAtFault(error: unknown): unknown {
  if (!(error instanceof Error) || !("path" in error) || !Array.isArray(error.path)) return null;
  return (error.path as unknown[])[0];
}

/** How many rows each candidate shares with the baseline. */
async function readShared(
  source: AnswerSource,
  { baseline, candidates, ...request }: CompareRequest,
): Promise<Map<string, number>> {
  const shared = new Map<string, number>();
  for (const id of candidates) {
    const { total_rows: rows } = await source.query({
      ...scopeOf(request),
      evaluation_call_ids: [baseline, id],
      require_intersection: true,
      limit: 0,
    });
    shared.set(id, rows);
  }
  return shared;
}
