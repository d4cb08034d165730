import type { EvaluationEntry } from "../../engine/catalog/list-evaluations.ts";
import type { ComparisonAnswer } from "../../respond/compare/comparison.ts";
import type { EvalResultsResponse } from "../../respond/query/response.ts";
import type { Answers, AwaitedPart, Question } from "../answers.ts";
import { readAnswers } from "../read-answers.ts";
import { projectPath, Refusal, type Service } from "./service.ts";

/** What a view shows: answers, and what could not be taken as it was asked. */
export interface ViewAnswers {
  readonly answers: Answers;
  /** What is still asked for; null where all is there. */
  readonly awaited: AwaitedPart | null;
  /** All evaluations of the project. */
  readonly all: readonly EvaluationEntry[];
  /** Names in the question that stand for nothing; they count as left out. */
  readonly unknown: readonly string[];
}

export interface ProjectEntry {
  readonly project_id: string;
  readonly evaluation_count: number;
}

/** The projects that the key may use. */
export async function listProjects(service: Service, signal: AbortSignal): Promise<readonly ProjectEntry[]> {
  const answer = (await service.get("v2/projects", signal)) as { projects: ProjectEntry[] };
  return answer.projects;
}

/**
 * Asks everything that the page of a project shows but its rows, and tells what is there meanwhile. Unknown evaluations of
 * the question are ignored.
 */
export async function viewAnswers(
  service: Service,
  project: string,
  question: Question,
  signal: AbortSignal,
  tell: (answer: ViewAnswers) => void,
): Promise<ViewAnswers> {
  const listed = await service.get(projectPath(project, "evaluations"), signal);
  const { evaluations: all } = listed as { evaluations: EvaluationEntry[] };
  const { known, unknown } = knownPart(all, question);
  const post = async (endpoint: string, body: unknown): Promise<unknown> =>
    service.post(projectPath(project, `eval_results/${endpoint}`), body, signal);
  const source = {
    list: () => Promise.resolve(all),
    query: async (body: unknown) => (await post("query", body)) as EvalResultsResponse,
    compare: async (body: unknown) => (await post("compare", body)) as ComparisonAnswer,
  };
  const answers = await readAnswers(source, project, known, refuse, (early, awaited) =>
    tell({ answers: early, awaited, all, unknown }),
  );
  return { answers, awaited: null, all, unknown };
}

function refuse(_: unknown, message: string): Refusal {
  return new Refusal(0, message);
}

/** The question without evaluations that the project does not have. */
function knownPart(all: readonly EvaluationEntry[], question: Question) {
  const trials = new Map(all.map(({ id, trial_count: count }) => [id, count]));
  const { evaluations, baseline } = question;
  const kept = evaluations?.filter((id) => trials.has(id)) ?? [];
  const page = kept.length === 0 ? [...trials.keys()] : kept;
  const isBaseline = baseline == null || (page.includes(baseline) && (trials.get(baseline) ?? 0) > 0);
  const known: Question = {
    ...question,
    evaluations: kept.length === 0 ? null : kept,
    baseline: isBaseline ? baseline : null,
  };
  const lost = evaluations?.filter((id) => !trials.has(id)) ?? [];
  return { known, unknown: isBaseline ? lost : [...lost, baseline] };
}
