import { memberTexts } from "../model/json.ts";
import type { Plan } from "../plan/plan.ts";
import type { EvalRequest } from "../request/eval-request.ts";

export interface TrialDetails {
  readonly evaluationKey: number;
  readonly startedAt: bigint;
  readonly latencySeconds: number | null;
  readonly totalTokens: number | null;
  readonly ownLatencySeconds: number | null;
  readonly ownTotalTokens: number | null;
  readonly id: string;
  readonly predictCallId: string | null;
  /** JSON texts, all of them compact. */
  readonly scorerCallIds: string | null;
  readonly output: string | null;
  readonly lateScores: string | null;
  readonly referencePrefix: string | null;
  readonly example: string | null;
}

export interface RowDetails {
  readonly digest: string;
  readonly val: string | null;
  readonly inlineExample: string | null;
}

/** Counts the rows of the page whose reference no dataset row answers. */
export interface Unresolved {
  count: number;
  example: string;
}

/** One row of the response as JSON text; stored values are passed on letter by letter. */
export function writeRow(
  request: EvalRequest,
  plan: Plan,
  row: RowDetails | undefined,
  trials: readonly TrialDetails[],
  unresolved: Unresolved,
): string {
  if (row === undefined) throw new Error("a row of the page has no record");
  const places = new Map(plan.evaluationKeys.map((key, i) => [key, i]));
  const place = (trial: TrialDetails) => places.get(trial.evaluationKey) ?? 0;
  const ordered = trials.toSorted((a, b) => place(a) - place(b) || compareTrials(a, b));
  const raw = rawRow(request, row, ordered[0], unresolved);
  const evaluations: string[] = [];
  for (let from = 0; from < ordered.length;) {
    const key = ordered[from]?.evaluationKey;
    let to = from;
    while (ordered[to]?.evaluationKey === key) to++;
    const texts = ordered.slice(from, to).map((trial) => writeTrial(request, trial));
    evaluations.push(
      `{"evaluation_call_id":${JSON.stringify(plan.evaluationIds[places.get(key ?? -1) ?? -1])},"trials":[${texts.join(",")}]}`,
    );
    from = to;
  }
  return `{"row_digest":${JSON.stringify(row.digest)},"raw_data_row":${raw},"evaluations":[${evaluations.join(",")}]}`;
}

function compareTrials(a: TrialDetails, b: TrialDetails): number {
  if (a.startedAt !== b.startedAt) return a.startedAt < b.startedAt ? -1 : 1;
  return Buffer.compare(Buffer.from(a.id), Buffer.from(b.id));
}

/** Semantics 2.5. */
function rawRow(
  request: EvalRequest,
  row: RowDetails,
  first: TrialDetails | undefined,
  unresolved: Unresolved,
): string {
  if (request.rawRows === "none" || first === undefined) return "null";
  if (first.referencePrefix === null) return first.example ?? row.inlineExample ?? "null";
  if (request.rawRows === "resolved") {
    if (row.val !== null) return row.val;
    if (unresolved.count++ === 0) unresolved.example = row.digest;
  }
  return JSON.stringify(first.referencePrefix + row.digest);
}

function writeTrial(request: EvalRequest, trial: TrialDetails): string {
  const members = trial.output === null ? new Map<string, string>() : memberTexts(trial.output);
  const own = members.get("scores") ?? "";
  const scores = own.startsWith("{") ? own : "{}";
  const children = request.includeChildren;
  const late = children && trial.lateScores !== null ? trial.lateScores : "{}";
  return `{"predict_and_score_call_id":${JSON.stringify(trial.id)}\
,"predict_call_id":${JSON.stringify(children ? trial.predictCallId : null)}\
,"model_output":${members.get("output") ?? "null"}\
,"scores":${joinObjects(scores, late)}\
,"model_latency_seconds":${JSON.stringify(children ? trial.latencySeconds : trial.ownLatencySeconds)}\
,"total_tokens":${JSON.stringify(children ? trial.totalTokens : trial.ownTotalTokens)}\
,"scorer_call_ids":${children ? (trial.scorerCallIds ?? "{}") : "{}"}}`;
}

/** The members of both compact objects in one. */
function joinObjects(a: string, b: string): string {
  if (b === "{}") return a;
  return a === "{}" ? b : `${a.slice(0, -1)},${b.slice(1)}`;
}
