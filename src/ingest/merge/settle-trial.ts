import { parseJson, type Json, type JsonObject } from "../../model/json.ts";
import { compareCalls, outputText, type Call, type TrialPart } from "../record/call.ts";
import { readText, type RecordText } from "../record/record-text.ts";

/** A trial as its own call and its children define it. */
export interface SettledTrial {
  readonly predictCallId: string | null;
  readonly latencySeconds: number | null;
  readonly totalTokens: number | null;
  readonly spanRefs: string | null;
  readonly stopReason: string | null;
  readonly scorerCallIds: ReadonlyMap<string, string>;
  readonly lateScores: ReadonlyMap<string, LateScore>;
  /** `own`: its own call failed or has no output; `predict`: its predict call failed. */
  readonly error: "own" | "predict" | null;
}

/** A score that only a score call has, not the output of the trial. */
interface LateScore {
  readonly value: Json;
  readonly text: string;
}

/** A child of a trial; `text` is needed for the few whose output becomes a late score. */
export interface Child {
  readonly call: Call;
  readonly text: RecordText;
}

export function settleTrial(trial: Call, part: TrialPart, unordered: readonly Child[]): SettledTrial {
  const children = isOrdered(unordered)
    ? unordered
    : unordered.toSorted((a, b) => compareCalls(a.call, b.call));
  const { scores } = part;
  const lateScores = findLateScores(scores, children);
  const predict = predictCall(trial, children);
  return {
    predictCallId: predict?.id ?? null,
    latencySeconds: (predict === null ? null : duration(predict)) ?? part.latencySeconds,
    totalTokens: (predict ?? trial).totalTokens,
    spanRefs: predict?.spanRefs ?? trial.spanRefs,
    stopReason: trial.stopReason ?? predict?.stopReason ?? part.stopReason,
    scorerCallIds: scorerCallIds(scores, lateScores, children),
    lateScores,
    error: trial.failed || !trial.hasOutput ? "own" : predict?.failed === true ? "predict" : null,
  };
}

/** Shared by the trials without late scores, which are most. */
const NO_LATE_SCORES: ReadonlyMap<string, LateScore> = new Map();

function findLateScores(scores: JsonObject, children: readonly Child[]): ReadonlyMap<string, LateScore> {
  if (!children.some(({ call }) => lateKey(scores, call) !== null)) return NO_LATE_SCORES;
  const found = new Map<string, LateScore>();
  for (const { call, text } of children) {
    const key = lateKey(scores, call);
    if (key === null || found.has(key)) continue;
    const output = outputText(readText(text));
    found.set(key, { value: parseJson(output), text: output });
  }
  return found;
}

function lateKey(scores: JsonObject, { scorerKey, hasOutput }: Call): string | null {
  return scorerKey !== null && hasOutput && !Object.hasOwn(scores, scorerKey) ? scorerKey : null;
}

function isOrdered(children: readonly Child[]): boolean {
  return children.every((child, i) => {
    const before = children[i - 1];
    return before === undefined || compareCalls(before.call, child.call) <= 0;
  });
}

/**
 * The first child whose `self` is the model of the trial or whose op name contains "predict" or "invoke"; otherwise the
 * first child whose op is the model.
 */
function predictCall(trial: Call, children: readonly Child[]): Call | null {
  let byOp: Call | null = null;
  for (const { call } of children) {
    if (call.scorerKey !== null) continue;
    if (ranModel(call, trial) || speaksOfPredicting(call)) return call;
    if (call.op === trial.model) byOp ??= call;
  }
  return byOp;
}

/** Whether what a trial is may depend on this child of it. */
export function concernsTrial(child: Call, trial: Call): boolean {
  return isScorer(child) || ranModel(child, trial) || speaksOfPredicting(child) || child.op === trial.model;
}

function isScorer({ scorerKey, opName }: Call): boolean {
  const name = opName.toLowerCase();
  return scorerKey !== null || name.includes(".score") || name.includes("scorer");
}

function ranModel(child: Call, trial: Call): boolean {
  return child.self !== null && child.self === trial.model;
}

function speaksOfPredicting({ opName }: Call): boolean {
  const name = opName.toLowerCase();
  return name.includes("predict") || name.includes("invoke");
}

function duration(call: Call): number | null {
  return call.endedAt === null ? null : Number(call.endedAt - call.startedAt) / 1e6;
}

/** Shared by the trials without scorer calls. */
const NO_CALL_IDS: ReadonlyMap<string, string> = new Map();

/** For each score key, the first scorer call whose name contains the key or is contained in it. */
function scorerCallIds(
  scores: JsonObject,
  lateScores: SettledTrial["lateScores"],
  children: readonly Child[],
): ReadonlyMap<string, string> {
  const candidates: { id: string; name: string }[] = [];
  for (const { call } of children) {
    if (isScorer(call)) candidates.push({ id: call.id, name: call.opName.toLowerCase() });
  }
  if (candidates.length === 0) return NO_CALL_IDS;
  const ids = new Map<string, string>();
  for (const key of [...Object.keys(scores), ...lateScores.keys()]) {
    const wanted = key.toLowerCase();
    if (wanted === "") continue;
    const found = candidates.find(
      ({ name }) => name.includes(wanted) || (name !== "" && wanted.includes(name)),
    );
    if (found !== undefined) ids.set(key, found.id);
  }
  return ids;
}
