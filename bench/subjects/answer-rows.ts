import type { AnswerEvaluation, AnswerRow, AnswerTrial } from "../answer.ts";
import { compareText, groupBy, type TrialRecord } from "./trial-record.ts";

/** The rows of a page from the trials on them. `rawDataRow` is asked once per row. */
export function answerRows(
  digests: readonly string[],
  trials: ReadonlyMap<string, readonly TrialRecord[]>,
  evaluationIds: readonly string[],
  rawDataRow: (first: TrialRecord) => unknown,
): AnswerRow[] {
  return digests.map((digest) => {
    const ordered = orderTrials(trials.get(digest) ?? [], evaluationIds);
    const [first] = ordered;
    return {
      row_digest: digest,
      raw_data_row: first === undefined ? null : rawDataRow(first),
      evaluations: splitByEvaluation(ordered),
    };
  });
}

/** By evaluation as requested, then by start, then by id. */
export function orderTrials(trials: readonly TrialRecord[], evaluationIds: readonly string[]): TrialRecord[] {
  const rank = (trial: TrialRecord): number => evaluationIds.indexOf(trial.evaluationId);
  return trials.toSorted((a, b) => rank(a) - rank(b) || a.startedAt - b.startedAt || compareText(a.id, b.id));
}

function splitByEvaluation(ordered: readonly TrialRecord[]): AnswerEvaluation[] {
  const groups = groupBy(ordered, (trial) => trial.evaluationId);
  return [...groups].map(([id, trials]) => ({ evaluation_call_id: id, trials: trials.map(answerTrial) }));
}

function answerTrial(trial: TrialRecord): AnswerTrial {
  return {
    predict_and_score_call_id: trial.id,
    predict_call_id: trial.predict?.id ?? null,
    model_output: trial.output,
    scores: trial.scores,
    model_latency_seconds: trial.predict?.latency ?? null,
    total_tokens: trial.predict?.tokens ?? null,
    scorer_call_ids: trial.scorerCallIds,
  };
}
