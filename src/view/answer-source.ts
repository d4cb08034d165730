import type { Engine } from "../engine/api.ts";
import type { EvaluationEntry } from "../engine/catalog/list-evaluations.ts";
import type { CompareRequest } from "../request/compare-request.ts";
import type { EvalResultsRequest } from "../request/eval-results-request.ts";
import type { HistoryRequest } from "../request/history-request.ts";
import type { ItemsRequest } from "../request/items-request.ts";
import type { StepsRequest } from "../request/steps-request.ts";
import type { ComparisonAnswer } from "../respond/compare/comparison.ts";
import type { HistoryAnswer } from "../respond/history/history.ts";
import type { ItemsAnswer } from "../respond/items/items.ts";
import type { EvalResultsResponse } from "../respond/query/response.ts";
import type { StepsAnswer } from "../respond/steps/answer.ts";

/** Where answers come from. Faults of a request reject with an error that has their `path`. */
export interface AnswerSource {
  readonly list: () => Promise<readonly EvaluationEntry[]>;
  readonly query: (request: EvalResultsRequest) => Promise<EvalResultsResponse>;
  readonly compare: (request: CompareRequest) => Promise<ComparisonAnswer>;
  readonly history: (request: HistoryRequest) => Promise<HistoryAnswer>;
  readonly items: (request: ItemsRequest) => Promise<ItemsAnswer>;
  readonly steps: (request: StepsRequest) => Promise<StepsAnswer>;
}

/** The answers of an engine about a project. */
export function engineAnswers(
  engine: Pick<
    Engine,
    "listEvaluations" | "queryEvalResults" | "compareEvaluations" | "history" | "items" | "steps"
  >,
  project: string,
  signal: AbortSignal | undefined,
): AnswerSource {
  const query = signal === undefined ? {} : { signal };
  return {
    list: () => engine.listEvaluations(project, query),
    query: (request) => engine.queryEvalResults(project, request, query),
    compare: (request) => engine.compareEvaluations(project, request, query),
    history: (request) => engine.history(project, request, query),
    items: (request) => engine.items(project, request, query),
    steps: (request) => engine.steps(project, request, query),
  };
}
