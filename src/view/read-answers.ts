import type { EvaluationEntry } from "../engine/catalog/list-evaluations.ts";
import type { CompareRequest } from "../request/compare-request.ts";
import type { EvalResultsRequest } from "../request/eval-results-request.ts";
import { askSteps, type GivenName, isByUsage, stepMember, stepScores } from "../model/field-path.ts";
import { didYouMean } from "../model/nearest.ts";
import { meaningless } from "../request/meaningless.ts";
import type { ComparisonAnswer } from "../respond/compare/comparison.ts";
import type { Summary } from "../respond/summary/scorer-stats.ts";
import type { AnswerSource } from "./answer-source.ts";
import { readHistories, readItems } from "./read-behind.ts";
import { readPageSteps } from "./read-steps.ts";
import { answersOf, costsOf, scopeOf, type Answers, type Question } from "./model/answers.ts";
import { chooseLatest, comparedMembers, memberAtFault, type ChosenRuns } from "./latest-runs.ts";
import { bestOf, headlineOf, scoresOf } from "./model/scores.ts";
import { withOffered } from "./model/stepped.ts";
import { unsharedComparison } from "./model/unshared.ts";

const BINS = 40;

/** Asks everything that a page shows but its rows. */
export async function readAnswers(source: AnswerSource, project: string, given: Question): Promise<Answers> {
  const named = stepsNamed(given);
  const question = { ...given, ...stepMember(named) };
  const asked = { ...meansOf(question), ...spreadOf(question) };
  const all = await source.list();
  const chosen = await askSteps(named, () => chooseLatest(source, all, question));
  const plain = await askSteps(named, () => readSummaryOf(source, chosen, project, question, asked));
  const hasSteps = plain.summary.evaluations.some((one) => one.usage?.steps !== undefined);
  // They are offered, but compared only where they are named.
  const step_scores = withOffered(question.step_scores);
  const means = hasSteps
    ? {
        ...plain,
        summary: (await readSummaryOf(source, chosen, project, { ...question, step_scores }, asked)).summary,
      }
    : plain;
  const comparison = await readComparison(source, means, question);
  const histories = await readHistories(source, all, means, question);
  const items = await readItems(source, means, question);
  const steps = await readPageSteps(source, means, means.summary, question);
  return { ...means, comparison, histories, items, ...(steps === null ? {} : { steps }) };
}

/** The numbers of steps that a question names as scores. */
export function stepsNamed({ step_scores, scorers, score }: Question): GivenName[] {
  return stepScores({ scorers, score, step_scores });
}

/** Asks what a page shows first: everything but the comparison, and what takes as long again as the means. */
export async function readMeans(
  source: AnswerSource,
  all: readonly EvaluationEntry[],
  project: string,
  question: Question,
): Promise<Answers> {
  const means = meansOf(question);
  const chosen = await chooseLatest(source, all, question);
  if ((question.filters ?? []).length === 0) return readSummaryOf(source, chosen, project, question, means);
  const whole = await readSummaryOf(source, chosen, project, { ...question, filters: null }, means);
  return readSummaryOf(source, chosen, project, question, means, whole.summary);
}

/**
 * Asks what means leave out: usage, rows and histograms. It takes as long as the means, and is not needed for a
 * verdict.
 */
export async function readSpread(
  source: AnswerSource,
  { evaluations }: Answers,
  question: Question,
): Promise<Summary> {
  return (await readSummary(source, evaluations, question, spreadOf(question))).summary;
}

function spreadOf(question: Question): Partial<EvalResultsRequest> {
  const costs = costsOf(question);
  if (costs === null) return SPREAD;
  return { ...SPREAD, include_costs: true, ...(costs.prices === undefined ? {} : { prices: costs.prices }) };
}

async function readSummaryOf(
  source: AnswerSource,
  { named, pair, ...chosen }: ChosenRuns,
  project: string,
  given: Question,
  members: Partial<EvalResultsRequest>,
  whole: Summary | null = null,
): Promise<Answers> {
  const { evaluations } = chosen;
  const question = named === null ? given : { ...given, baseline: named };
  const alone = evaluations.length === 1 || describes(question) ? slicedBy(question, 0) : {};
  const { by } = alone;
  const sliced = isByUsage(by) || [by].flat().includes("auto") ? {} : { ...alone, by };
  const asked = { ...members, ...sliced };
  const { summary, warnings } = await readSummary(source, evaluations, question, asked);
  checkScorers(whole ?? summary, question);
  // Filters change no baseline that was named, nor any where no row passes them.
  const isEmpty = summary.row_count === 0;
  const isNamed = question.baseline != null || pair !== null;
  const of = whole !== null && (isEmpty || isNamed) ? whole : summary;
  const baseline = baselineOf(evaluations, of, { ...question, baseline: question.baseline ?? pair });
  return answersOf(project, question, { ...chosen, baseline, summary, warnings, whole });
}

/** The most rows that are sliced where nobody asks for it. */
const MOST_SLICED = 100_000;

type SliceMembers = Pick<CompareRequest, "by" | "max_slices">;

/** The members of a request that ask for slices of so many rows. */
function slicedBy({ by, max_slices }: Question, rows: number): SliceMembers {
  if (by === "nothing" || (by == null && rows > MOST_SLICED)) return {};
  return { by: by ?? "auto", max_slices };
}

/** Whether slices are by what trials tell of themselves, which no comparison has. */
function describes({ by }: Question): boolean {
  return !isByUsage(by) && [by].flat().some((field) => field?.startsWith("output.") === true);
}

const SPREAD = {
  include_usage: true,
  include_row_counts: true,
  include_errors: true,
  histogram_bins: BINS,
} as const;

function meansOf({ pass_k: k, cluster_by }: Question) {
  return { include_uncertainty: true, pass_k: k ?? "auto", cluster_by } as const;
}

function checkScorers(summary: Summary, { scorers, score }: Question): void {
  const known = scoresOf(summary, {}).map(({ key }) => key);
  if (known.length === 0) return;
  const named = (scorers ?? []).map((name, i) => ({ name, path: ["scorers", i] as (string | number)[] }));
  if (score != null) named.push({ name: score, path: ["score"] });
  for (const { name, path } of named)
    if (headlineOf({ summary, whole: null, question: { score: name } }) === null)
      throw meaningless(
        path,
        `no trial has a score ${JSON.stringify(name)} of numbers or of true and false${didYouMean(name, known)}`,
      );
}

async function readSummary(
  source: AnswerSource,
  evaluations: readonly EvaluationEntry[],
  question: Question,
  members: Partial<EvalResultsRequest>,
): Promise<Pick<Answers, "summary" | "warnings">> {
  const { summary, warnings } = await source.query({
    ...scopeOf(question),
    evaluation_call_ids: evaluations.map(({ id }) => id),
    include_rows: false,
    include_summary: true,
    ...members,
  });
  return { summary: summary ?? { row_count: 0, evaluations: [] }, warnings };
}

function baselineOf(
  evaluations: readonly EvaluationEntry[],
  summary: Summary,
  question: Question,
): string | null {
  const { baseline } = question;
  const measured = summary.evaluations.filter((one) => one.trial_count > 0);
  if (baseline != null) {
    if (evaluations.every(({ id }) => id !== baseline))
      throw meaningless(["baseline"], `${JSON.stringify(baseline)} is none of the evaluations of this page`);
    if (measured.some(({ evaluation_call_id: id }) => id === baseline)) return baseline;
    throw meaningless(["baseline"], `evaluation ${JSON.stringify(baseline)} has no trials`);
  }
  const first = measured[0]?.evaluation_call_id ?? null;
  const headline = headlineOf({ summary, whole: null, question, evaluations });
  return measured.length <= 2 || headline === null ? first : bestOf(summary, headline);
}

/** A request that names its evaluations. */
type Compared = CompareRequest & { readonly baseline: string; readonly candidates: readonly string[] };

/** Null where there is nothing to compare. */
function comparing(question: Question, baseline: string | null, summary: Summary): Compared | null {
  const candidates = summary.evaluations
    .filter((one) => one.evaluation_call_id !== baseline && one.trial_count > 0)
    .map((one) => one.evaluation_call_id);
  if (baseline === null || candidates.length === 0) return null;
  return {
    ...comparedMembers(question),
    baseline,
    candidates,
    baseline_is_best:
      question.baseline_is_best ??
      (question.baseline == null && candidates.length > 1 && question.edited_rows !== "leave_out"),
    ...(describes(question) ? {} : slicedBy(question, summary.row_count)),
  };
}

/** Null where there is nothing to compare: another evaluation, or a score of numbers or booleans. */
export async function readComparison(
  source: AnswerSource,
  answers: Pick<Answers, "evaluations" | "baseline" | "summary" | "whole">,
  question: Question,
): Promise<ComparisonAnswer | null> {
  const request = comparing(question, answers.baseline, answers.summary);
  if (request === null) return null;
  try {
    return await source.compare(request);
  } catch (error) {
    const member = memberAtFault(error);
    if (member === "baseline") return null;
    if (member !== "candidates") throw error;
    const shared = await readShared(source, request);
    return await unsharedComparison({ ...answers, baseline: request.baseline }, question, shared);
  }
}

/** How many rows each candidate shares with the baseline. */
async function readShared(
  source: AnswerSource,
  { baseline, candidates, ...request }: Compared,
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
