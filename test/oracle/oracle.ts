import { projectsAfter } from "./calls.ts";
import type { Call, OracleEvent, Project } from "./calls.ts";
import { isDatasetReference } from "./digests.ts";
import { fieldReader } from "./fields.ts";
import { passesFilters } from "./filters.ts";
import { toPlain } from "./json.ts";
import type { Json } from "./json.ts";
import type { EvalRequest } from "./request.ts";
import { lacksValue } from "./missing.ts";
import { hasMoved } from "./moved.ts";
import { holdsText } from "./search.ts";
import { groupRows, isInEvery } from "./rows.ts";
import type { Row } from "./rows.ts";
import { sortRows } from "./sorting.ts";
import { summarize } from "./summary.ts";
import type { Summary } from "./summary.ts";
import { trialsOf } from "./trials.ts";
import type { Trial, TrialOptions } from "./trials.ts";
import { missingFields, requestWarnings, unresolvedWarnings } from "./warnings.ts";
import type { OracleWarning } from "./warnings.ts";

export type OracleState = TrialOptions & { readonly projects: ReadonlyMap<string, Project> };

export type OracleTrial = {
  readonly predict_and_score_call_id: string;
  readonly predict_call_id: string | null;
  readonly model_output: unknown;
  readonly scores: unknown;
  readonly model_latency_seconds: number | null;
  readonly total_tokens: number | null;
  readonly scorer_call_ids: Readonly<Record<string, string>>;
  /** Costs and spans are not drawn at random. */
  readonly total_cost: null;
  readonly genai_span_ref: null;
  readonly error?: string | null;
};

export type OracleRow = {
  readonly row_digest: string;
  readonly raw_data_row: unknown;
  readonly evaluations: readonly {
    readonly evaluation_call_id: string;
    readonly trials: readonly OracleTrial[];
  }[];
};

export type OracleResponse = {
  readonly rows: readonly OracleRow[];
  readonly total_rows: number;
  readonly summary: Summary | null;
  readonly warnings: readonly OracleWarning[];
};

const DEFAULTS: TrialOptions = {
  predictAndScoreOps: ["Evaluation.predict_and_score", "Evaluation.predictAndScore"],
  attributeNamespaces: ["svc", "weave"],
};

export function oracleProject(
  events: readonly OracleEvent[],
  options: Partial<TrialOptions> = {},
): OracleState {
  return { ...DEFAULTS, ...options, projects: projectsAfter(events) };
}

export function oracleQuery(state: OracleState, projectId: string, request: EvalRequest): OracleResponse {
  const project = state.projects.get(projectId) ?? { calls: [], datasetRows: new Map() };
  const evaluationIds = requestedEvaluations(request);
  const withChildren = request.include_predict_and_score_children ?? true;
  const trials = evaluationIds.flatMap((id) => trialsOf(id, project.calls, withChildren, state));
  const read = fieldReader(project.datasetRows);
  const rows = groupRows(trials);
  const kept = rows.filter(
    (row) =>
      passesFilters(row, request.filters ?? [], request.filter_logic_operator ?? "and", read) &&
      hasMoved(row, request.moved, evaluationIds, read) &&
      lacksValue(row, request.missing, evaluationIds, read) &&
      holdsText(row, request.search, project.datasetRows),
  );
  const intersect = request.require_intersection ?? false;

  const selected = (request.include_rows ?? true) ? intersection(kept, evaluationIds, intersect) : [];
  const sorted = sortRows(selected, request.sort_by ?? [], evaluationIds, read);
  const offset = request.offset ?? 0;
  const page = sorted.slice(offset, offset + (request.limit ?? Infinity));

  const known = evaluationIds.filter((id) => isHeld(id, project.calls));
  const summaryIntersect = request.summary_require_intersection ?? intersect;
  const summaryRows = intersection(kept, evaluationIds, summaryIntersect);

  return {
    rows: page.map((row) => rowResponse(row, evaluationIds, rawDataRow(row, request, project), request)),
    total_rows: selected.length,
    summary: request.include_summary ? summarize(summaryRows, known, project.calls, request) : null,
    warnings: [
      ...requestWarnings(request, evaluationIds, known),
      ...missingFields(request, rows, read),
      ...unresolvedWarnings(page, request, project.datasetRows),
    ],
  };
}

function requestedEvaluations(request: EvalRequest): string[] {
  return [...new Set([...(request.evaluation_call_ids ?? []), ...(request.evaluation_run_ids ?? [])])];
}

function isHeld(evaluationId: string, calls: readonly Call[]): boolean {
  return calls.some((call) => call.id === evaluationId || call.parent_id === evaluationId);
}

function intersection(
  rows: readonly Row[],
  evaluationIds: readonly string[],
  wanted: boolean,
): readonly Row[] {
  return wanted ? rows.filter((row) => isInEvery(row, evaluationIds)) : rows;
}

function rawDataRow(row: Row, request: EvalRequest, project: Project): Json {
  if (!request.include_raw_data_rows) return null;
  const example = row.trials[0]?.example ?? null;
  const resolvable = request.resolve_row_refs && isDatasetReference(example);
  const stored = project.datasetRows.get(row.digest);
  return resolvable && stored !== undefined ? stored : example;
}

function rowResponse(row: Row, evaluationIds: readonly string[], raw: Json, request: EvalRequest): OracleRow {
  return {
    row_digest: row.digest,
    raw_data_row: toPlain(raw),
    evaluations: evaluationIds
      .map((id) => ({
        evaluation_call_id: id,
        trials: row.trials
          .filter((trial) => trial.evaluationId === id)
          .map((trial) => trialResponse(trial, request)),
      }))
      .filter(({ trials }) => trials.length > 0),
  };
}

function trialResponse(trial: Trial, request: EvalRequest): OracleTrial {
  return {
    predict_and_score_call_id: trial.id,
    predict_call_id: trial.predictCallId,
    model_output: request.include_outputs === false ? null : toPlain(trial.modelOutput),
    scores: toPlain(trial.scores),
    model_latency_seconds: trial.latencySeconds,
    total_tokens: trial.totalTokens,
    scorer_call_ids: Object.fromEntries(trial.scorerCallIds),
    total_cost: null,
    genai_span_ref: null,
    ...(request.include_trial_errors === true ? { error: trial.error } : {}),
  };
}
