import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import {
  compareCalls,
  isScoreCall,
  outputText,
  scorerKey,
  totalTokens,
  type Call,
  type Conventions,
} from "./call.ts";

/** What a trial is, given its own call and its children (semantics 3). */
export interface SettledTrial {
  readonly predictCallId: string | null;
  readonly latencySeconds: number | null;
  readonly totalTokens: number | null;
  readonly ownLatencySeconds: number | null;
  readonly ownTotalTokens: number | null;
  readonly scorerCallIds: ReadonlyMap<string, string>;
  readonly scores: JsonObject;
  readonly lateScores: ReadonlyMap<string, { readonly value: Json; readonly text: string }>;
}

export function settleTrial(trial: Call, unordered: readonly Call[], conventions: Conventions): SettledTrial {
  const children = unordered.length > 1 ? unordered.toSorted(compareCalls) : unordered;
  const scoreCalls = new Set(children.filter((child) => isScoreCall(child, conventions)));
  const scores = trialScores(trial);
  const lateScores = new Map<string, { value: Json; text: string }>();
  for (const child of scoreCalls) {
    const key = scorerKey(child, conventions);
    if (child.output === null || Object.hasOwn(scores, key) || lateScores.has(key)) continue;
    lateScores.set(key, { value: child.output, text: outputText(child) });
  }
  const predict = children.find((child) => !scoreCalls.has(child) && isPredictCall(child, trial)) ?? null;
  const ownLatency = meanLatency(trial);
  return {
    predictCallId: predict?.id ?? null,
    latencySeconds: (predict === null ? null : duration(predict)) ?? ownLatency,
    totalTokens: totalTokens(predict ?? trial),
    ownLatencySeconds: ownLatency,
    ownTotalTokens: totalTokens(trial),
    scorerCallIds: scorerCallIds([...Object.keys(scores), ...lateScores.keys()], children, scoreCalls),
    scores,
    lateScores,
  };
}

function trialScores(trial: Call): JsonObject {
  const scores = isJsonObject(trial.output) ? trial.output["scores"] : undefined;
  return isJsonObject(scores) ? scores : {};
}

/** Semantics 3.4. */
function isPredictCall(child: Call, trial: Call): boolean {
  const self = child.inputs["self"] ?? null;
  const model = trial.inputs["model"] ?? null;
  if (self !== null && model !== null && sameJson(self, model)) return true;
  const name = child.opName.toLowerCase();
  return name.includes("predict") || name.includes("invoke");
}

function sameJson(a: Json, b: Json): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item: Json, i) => sameJson(item, b[i] as Json));
  }
  const names = Object.keys(a);
  if (!isJsonObject(a) || !isJsonObject(b) || names.length !== Object.keys(b).length) return false;
  return names.every((name) => Object.hasOwn(b, name) && sameJson(a[name] as Json, b[name] as Json));
}

function duration(call: Call): number | null {
  if (call.endedAt === null) return null;
  return Number(call.endedAt - call.startedAt) / 1e6;
}

function meanLatency(trial: Call): number | null {
  const latency = isJsonObject(trial.output) ? trial.output["model_latency"] : undefined;
  const mean = isJsonObject(latency) ? latency["mean"] : undefined;
  const number = typeof mean === "bigint" ? Number(mean) : mean;
  return typeof number === "number" && Number.isFinite(number) ? number : null;
}

/** Semantics 3.7. */
function scorerCallIds(
  keys: readonly string[],
  children: readonly Call[],
  scoreCalls: ReadonlySet<Call>,
): Map<string, string> {
  const candidates = children
    .map((child) => ({ child, name: child.opName.toLowerCase() }))
    .filter(({ child, name }) => scoreCalls.has(child) || name.includes(".score") || name.includes("scorer"));
  const ids = new Map<string, string>();
  for (const key of keys) {
    const wanted = key.toLowerCase();
    if (wanted === "") continue;
    const found = candidates.find(({ name }) => name.includes(wanted) || (name !== "" && wanted.includes(name)));
    if (found !== undefined) ids.set(key, found.child.id);
  }
  return ids;
}
