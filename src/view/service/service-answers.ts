import type { EvaluationEntry } from "../../engine/catalog/list-evaluations.ts";
import type { EvalResultsResponse } from "../../respond/query/response.ts";
import type { Summary } from "../../respond/summary/scorer-stats.ts";
import { byStart } from "../model/runs.ts";
import { scoreKey } from "../../words/score.ts";
import {
  answersOf,
  type AnswerPart,
  type Answers,
  type AwaitedPart,
  type Question,
  type ToldMeans,
} from "../model/answers.ts";
import type { FirstRows } from "./service-rows.ts";
import { brokenOff, projectPath, Refusal, type Service } from "./service.ts";

/** What a view shows: answers, and what could not be taken as it was asked. */
export interface ViewAnswers {
  readonly answers: Answers;
  /** What is still asked for; null where all is there. */
  readonly awaited: AwaitedPart | null;
  /** Fields of inputs, as requests name them; none before all is there. */
  readonly fields: readonly string[];
  /** All evaluations of the project. */
  readonly all: readonly EvaluationEntry[];
  /** Names in the question that stand for nothing; they count as left out. */
  readonly unknown: readonly string[];
  /** The first rows, which come with the answers; null where they were not asked for. */
  readonly firstRows: FirstRows | null;
}

interface ProjectEntry {
  readonly project_id: string;
  readonly evaluation_count: number;
}

/** The projects that the key may use. */
export async function readProjects(service: Service, signal: AbortSignal): Promise<readonly ProjectEntry[]> {
  const answer = (await service.get("v2/projects", signal)) as { projects: ProjectEntry[] };
  return answer.projects;
}

/** An evaluation, and the project that it is of. */
export type ListedRun = EvaluationEntry & { readonly project: string };

/** Runs that are listed of each project, and of all. */
const RUNS_LISTED = 50;

/** The latest runs of all these projects, the newest first. */
export async function readRuns(
  service: Service,
  projects: readonly ProjectEntry[],
  signal: AbortSignal,
): Promise<readonly ListedRun[]> {
  const lists = projects.map(async ({ project_id: project }) => {
    const path = projectPath(project, `evaluations?limit=${RUNS_LISTED}`);
    const { evaluations } = (await service.get(path, signal)) as { evaluations: EvaluationEntry[] };
    return evaluations.map((one) => ({ ...one, project }));
  });
  const all = (await Promise.all(lists)).flat();
  return (byStart(all) as ListedRun[]).toReversed().slice(0, RUNS_LISTED);
}

/** What is asked of the first rows: how many, and whose score decides their order; null is the headline score. */
interface FirstRowsAsked {
  readonly first_rows: number;
  readonly score: string | null;
}

/** A listener of answers. */
interface Listener {
  readonly signal: AbortSignal;
  readonly tell: (answer: ViewAnswers) => void;
  /** Resolves when what was told is drawn; what is not needed for a verdict waits for it. */
  readonly drawn: () => Promise<void>;
}

/**
 * Asks everything that the page of a project shows, and tells what is there meanwhile. Unknown evaluations of the
 * question are ignored.
 */
export async function viewAnswers(
  service: Service,
  project: string,
  question: Question,
  rows: FirstRowsAsked | null,
  { signal, tell, drawn }: Listener,
): Promise<ViewAnswers> {
  const path = projectPath(project, "eval_results/view");
  let resolve: (rows: EvalResultsResponse | null) => void = ignore;
  const response = new Promise<EvalResultsResponse | null>((settle) => (resolve = settle));
  let told: ViewAnswers | null = null;
  try {
    for await (const line of service.lines(path, { ...question, ...rows }, signal)) {
      const part = line as AnswerPart;
      if ("first_rows" in part) resolve(part.first_rows);
      else {
        if ("spread" in part) await drawn();
        told = withPart(told, part, (means) => ofMeans(project, question, means, response));
        if (!("histories" in part)) tell(told);
      }
    }
  } finally {
    // Rows that did not come are asked for by who shows them.
    resolve(null);
  }
  if (told?.awaited === null) return told;
  throw brokenOff();
}

function ignore(): void {}

type LaterPart = Exclude<AnswerPart, { readonly first_rows: unknown }>;

/** What is known with one more part. */
function withPart(
  told: ViewAnswers | null,
  part: LaterPart,
  begin: (means: ToldMeans) => ViewAnswers,
): ViewAnswers {
  if ("failure" in part) throw new Refusal(part.failure.status, part.failure.reason);
  if ("means" in part) return begin(part.means);
  if (told === null) throw brokenOff();
  const { answers } = told;
  if ("histories" in part || "steps" in part) return { ...told, answers: { ...answers, ...part } };
  if ("comparison" in part)
    return { ...told, answers: { ...answers, comparison: part.comparison }, awaited: "spread" };
  return {
    ...told,
    answers: { ...answers, summary: withSpread(answers.summary, part.spread) },
    awaited: null,
    fields: part.fields,
  };
}

/** The summary with what another one of the same evaluations says beyond it. */
function withSpread(summary: Summary, spread: Summary): Summary {
  const others = new Map(spread.evaluations.map((one) => [one.evaluation_call_id, one]));
  const evaluations = summary.evaluations.map((one) => {
    const other = others.get(one.evaluation_call_id);
    const scores = new Map(other?.scorer_stats.map((stats) => [scoreKey(stats), stats]));
    const scorer_stats = one.scorer_stats.map((stats) => ({ ...scores.get(scoreKey(stats)), ...stats }));
    return { ...other, ...one, scorer_stats };
  });
  return { ...summary, evaluations };
}

function ofMeans(
  project: string,
  question: Question,
  { evaluations: all, shown, rows_request: request, unknown, ...means }: ToldMeans,
  response: Promise<EvalResultsResponse | null>,
): ViewAnswers {
  const byId = new Map(all.map((one) => [one.id, one]));
  const evaluations = shown.flatMap((id) => byId.get(id) ?? []);
  return {
    answers: answersOf(project, question, { evaluations, ...means }),
    awaited: "comparison",
    fields: [],
    all,
    unknown,
    firstRows: request === null ? null : { request, response },
  };
}
