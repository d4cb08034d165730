import type { Call } from "./calls.ts";
import { EMPTY, canonicalText, isNumber, isObject, member, objectOr } from "./json.ts";
import type { Json, JsonObject } from "./json.ts";
import { byStart, microseconds } from "./order.ts";
import { parseNamedReference } from "./references.ts";

export type TrialOptions = {
  readonly predictAndScoreOps: readonly string[];
  readonly attributeNamespaces: readonly string[];
};

export type Trial = {
  readonly id: string;
  readonly evaluationId: string;
  readonly started_at: string;
  readonly example: Json;
  readonly output: JsonObject;
  readonly modelOutput: Json;
  readonly scores: JsonObject;
  readonly predictCallId: string | null;
  readonly latencySeconds: number | null;
  readonly totalTokens: number | null;
  readonly error: string | null;
  readonly scorerCallIds: ReadonlyMap<string, string>;
};

// The trials of one evaluation, by start and then id.
export function trialsOf(
  evaluationId: string,
  calls: readonly Call[],
  withChildren: boolean,
  options: TrialOptions,
): Trial[] {
  return calls
    .filter((call) => call.parent_id === evaluationId && options.predictAndScoreOps.includes(call.op))
    .sort(byStart)
    .map((call) => trialFrom(call, evaluationId, withChildren ? childrenOf(call, calls) : [], options));
}

function childrenOf(call: Call, calls: readonly Call[]): Call[] {
  return calls.filter((child) => child.parent_id === call.id).sort(byStart);
}

function trialFrom(
  call: Call,
  evaluationId: string,
  children: readonly Call[],
  options: TrialOptions,
): Trial {
  const output = objectOr(call.output, EMPTY);
  const isScore = (child: Call) => isScoreCall(child, options.attributeNamespaces);
  const scores = new Map(objectOr(output.get("scores"), EMPTY));
  for (const child of children.filter(isScore)) {
    const key = scoreKey(child, options.attributeNamespaces);
    if (!scores.has(key) && child.output !== null) scores.set(key, child.output);
  }
  const predict = predictCall(
    call,
    children.filter((child) => !isScore(child)),
  );
  return {
    id: call.id,
    evaluationId,
    started_at: call.started_at,
    example: call.inputs.get("example") ?? null,
    output,
    modelOutput: output.get(output.has("output") ? "output" : "model_output") ?? null,
    scores,
    predictCallId: predict?.id ?? null,
    latencySeconds: secondsOf(predict) ?? reportedLatency(output),
    totalTokens: tokensOf(predict ?? call),
    error: call.exception ?? predict?.exception ?? null,
    scorerCallIds: scorerCallIds(
      [...scores.keys()],
      children.filter((child) => isScore(child) || /\.score|scorer/.test(child.op.toLowerCase())),
    ),
  };
}

function isScoreCall(call: Call, namespaces: readonly string[]): boolean {
  const marks = namespaces.map((namespace) => member(call.attributes, namespace, "score"));
  const meta = member(call.attributes, "_weave_eval_meta", "score");
  return marks.some((mark) => mark === true || mark === "true") || !isFalsy(meta);
}

function isFalsy(value: Json): boolean {
  return value === null || value === false || value === 0 || value === "";
}

function scoreKey(call: Call, namespaces: readonly string[]): string {
  for (const namespace of namespaces) {
    const scorer = member(call.attributes, namespace, "scorer");
    const reference = typeof scorer === "string" ? parseNamedReference(scorer) : null;
    if (reference !== null) return reference.name;
  }
  return call.op.replace(/\.score$/, "");
}

// Of children that are no score calls, by start.
function predictCall(predictAndScore: Call, children: readonly Call[]): Call | null {
  const model = predictAndScore.inputs.get("model") ?? null;
  for (const child of children) {
    const self = child.inputs.get("self") ?? null;
    if (self !== null && model !== null && canonicalText(self) === canonicalText(model)) return child;
    if (/predict|invoke/.test(child.op.toLowerCase())) return child;
  }
  for (const child of children) {
    if (child.op_name === model) return child;
  }
  return null;
}

function secondsOf(call: Call | null): number | null {
  if (call === null || call.ended_at === null) return null;
  return Number(microseconds(call.ended_at) - microseconds(call.started_at)) / 1e6;
}

function reportedLatency(output: JsonObject): number | null {
  for (const path of [["model_latency", "mean"], ["model_latency"]]) {
    const latency = member(output, ...path);
    if (isNumber(latency)) return Number(latency);
  }
  return null;
}

function tokensOf(call: Call): number | null {
  const usage = member(call.summary, "usage");
  const counts = isObject(usage) ? [...usage.values()].map((model) => member(model, "total_tokens")) : [];
  const numbers = counts.filter(isNumber).map(Number);
  return numbers.length === 0 ? null : numbers.reduce((total, count) => total + count, 0);
}

function scorerCallIds(keys: readonly string[], candidates: readonly Call[]): Map<string, string> {
  const ids = new Map<string, string>();
  for (const key of keys.filter((name) => name !== "")) {
    const wanted = key.toLowerCase();
    const found = candidates.find((call) => {
      const op = call.op.toLowerCase();
      return op.includes(wanted) || wanted.includes(op);
    });
    if (found !== undefined) ids.set(key, found.id);
  }
  return ids;
}
