import { compactJson, isJsonObject, memberTexts, type Json, type JsonObject } from "../model/json.ts";
import { operationName, parseReference, referencedRowDigest } from "../model/references.ts";
import type { CallRecord } from "./call-record.ts";

/** What a deployment may name differently; stored with the database, since loading depends on it. */
export interface Conventions {
  /** Op names of predict-and-score calls. */
  readonly predictAndScoreOps: readonly string[];
  /** Members of `attributes` under which a score call says that it is one. */
  readonly attributeNamespaces: readonly string[];
}

/** A call, merged and read: what trials are settled from. */
export interface Call {
  readonly text: string;
  readonly fragile: boolean;
  readonly id: string;
  readonly parentId: string | null;
  /** The name part of `op_name`. */
  readonly opName: string;
  readonly startedAt: bigint;
  readonly endedAt: bigint | null;
  readonly inputs: JsonObject;
  readonly output: Json;
  readonly attributes: JsonObject;
  readonly summary: JsonObject;
}

const EMPTY: JsonObject = {};

/** Null while only the end of the call is known. */
export function readCall(record: CallRecord): Call | null {
  const { members } = record;
  if (record.startedAt === null) return null;
  const opName = members["op_name"];
  return {
    text: record.text,
    fragile: record.fragile,
    id: record.id,
    parentId: record.parentId,
    opName: typeof opName === "string" ? operationName(opName) : "",
    startedAt: record.startedAt,
    endedAt: record.endedAt,
    inputs: objectMember(members, "inputs"),
    output: members["output"] ?? null,
    attributes: objectMember(members, "attributes"),
    summary: objectMember(members, "summary"),
  };
}

function objectMember(members: JsonObject, name: string): JsonObject {
  const value = members[name];
  return isJsonObject(value) ? value : EMPTY;
}

/** Semantics 1.6. A trial without a parent belongs to no evaluation. */
export function isPredictAndScore(call: Call, conventions: Conventions): boolean {
  return call.parentId !== null && conventions.predictAndScoreOps.includes(call.opName);
}

/** Order 4.5: by start, then by id as UTF-8. */
export function compareCalls(a: Call, b: Call): number {
  if (a.startedAt !== b.startedAt) return a.startedAt < b.startedAt ? -1 : 1;
  return compareText(a.id, b.id);
}

/** By code point, as UTF-8 bytes compare. */
export function compareText(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** The call's output as compact JSON, its long integers and member order unharmed. */
export function outputText(call: Call): string {
  if (!call.fragile) return JSON.stringify(call.output);
  return compactJson(memberTexts(call.text).get("output") ?? "null");
}

export interface Example {
  /** Compact JSON of `inputs.example`. */
  readonly text: string;
  readonly value: Json;
  /** The digest that a dataset-row reference ends in; null on an inline row. */
  readonly referencedDigest: string | null;
}

/** Semantics 2.1 and 2.2. */
export function readExample(call: Call): Example {
  const value = call.inputs["example"] ?? null;
  return {
    text: call.fragile ? fragileExample(call) : JSON.stringify(value),
    value,
    referencedDigest: typeof value === "string" ? referencedRowDigest(value) : null,
  };
}

function fragileExample(call: Call): string {
  const inputs = memberTexts(call.text).get("inputs");
  const example = inputs === undefined || inputs === "null" ? undefined : memberTexts(inputs).get("example");
  return example === undefined ? "null" : compactJson(example);
}

/** Semantics 3.3: the attribute namespace by which a call is a score call, "" for the older mark, or null. */
export function isScoreCall(call: Call, conventions: Conventions): boolean {
  for (const namespace of conventions.attributeNamespaces) {
    const attributes = call.attributes[namespace];
    if (isJsonObject(attributes) && (attributes["score"] === true || attributes["score"] === "true")) return true;
  }
  const meta = call.attributes["_weave_eval_meta"];
  if (!isJsonObject(meta)) return false;
  const mark = meta["score"] ?? null;
  return mark !== null && mark !== false && mark !== 0 && mark !== 0n && mark !== "";
}

/** Semantics 3.3: the key under which a score call adds its output. */
export function scorerKey(call: Call, conventions: Conventions): string {
  for (const namespace of conventions.attributeNamespaces) {
    const attributes = call.attributes[namespace];
    const scorer = isJsonObject(attributes) ? attributes["scorer"] : undefined;
    const reference = typeof scorer === "string" ? parseReference(scorer) : null;
    if (reference !== null && reference.kind !== "call") return reference.name;
  }
  return call.opName.replace(/\.score$/, "");
}

/** Semantics 3.6: the sum of the numeric `summary.usage.<model>.total_tokens`, null when there is none. */
export function totalTokens(call: Call): number | null {
  const usage = call.summary["usage"];
  if (!isJsonObject(usage)) return null;
  let total: number | null = null;
  for (const model of Object.values(usage)) {
    const tokens = isJsonObject(model) ? model["total_tokens"] : undefined;
    if (typeof tokens === "number" || typeof tokens === "bigint") total = (total ?? 0) + Number(tokens);
  }
  return total;
}
