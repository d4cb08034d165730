import type { Conventions } from "../../model/conventions.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { operationName, parseReference } from "../../model/references.ts";

/**
 * How calls are read: the conventions, and the results for strings that repeat, so that each is parsed and kept once.
 * `opNames` is keyed by `op_name`, `canonical` by the string itself, `scorers` by the reference (null where it is
 * none).
 */
export interface CallReading {
  readonly conventions: Conventions;
  /** What stubs of long texts begin with; null where there are none. */
  readonly mark: string | null;
  readonly opNames: Map<string, string>;
  readonly canonical: Map<string, string>;
  readonly scorers: Map<string, string | null>;
}

export function createCallReading(conventions: Conventions, mark: string | null = null): CallReading {
  return { conventions, mark, opNames: new Map(), canonical: new Map(), scorers: new Map() };
}

const KEPT_READINGS = 1000;

/** What `read` gives for a text, made once for as long as it is kept. */
export function readOnce<T>(known: Map<string, T>, text: string, read: (text: string) => T): T {
  const found = known.get(text);
  if (found !== undefined) return found;
  const value = read(text);
  if (known.size >= KEPT_READINGS) known.clear();
  known.set(text, value);
  return value;
}

export const NOTHING: JsonObject = {};

/** A member that is an object; else an empty one. */
export function objectMember(members: JsonObject, name: string): JsonObject {
  const value = members[name];
  return isJsonObject(value) ? value : NOTHING;
}

/** The scorer that a call of this op name is of, by its attributes; null for other calls. */
export function scorerOf(attributes: JsonObject, op: string, reading: CallReading): string | null {
  return scorerKey(attributes, readOnce(reading.opNames, op, operationName), reading);
}

/** Whether the attributes mark a score call, and the key under which its output is added. */
export function scorerKey(attributes: JsonObject, opName: string, reading: CallReading): string | null {
  const namespaces = reading.conventions.attributeNamespaces.map((name) => objectMember(attributes, name));
  const marked = namespaces.some((one) => one["score"] === true || one["score"] === "true");
  if (!marked && !isTruthy(objectMember(attributes, "_weave_eval_meta")["score"])) return null;
  for (const { scorer } of namespaces) {
    const name = typeof scorer === "string" ? readOnce(reading.scorers, scorer, scorerName) : null;
    if (name !== null) return name;
  }
  return opName.replace(/\.score$/, "");
}

function scorerName(text: string): string | null {
  const reference = parseReference(text);
  return reference === null || reference.kind === "call" ? null : reference.name;
}

function isTruthy(mark: Json | undefined): boolean {
  return mark !== undefined && mark !== null && mark !== false && mark !== 0 && mark !== 0n && mark !== "";
}
