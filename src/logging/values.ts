import type { Scorer } from "./scorer.ts";
import { withoutTrailing } from "../model/plain-line.ts";
import { EvalcubeError, formatPath } from "../errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import { MAX_JSON_DEPTH } from "../model/read-json.ts";
import { parseReference } from "../model/references.ts";

/** A value as JSON can hold it, and about how many characters of JSON it makes. */
export interface PlainJson {
  readonly value: Json;
  readonly size: number;
}

/** A call holds its values a few levels below its own. */
const MAX_DEPTH = MAX_JSON_DEPTH - 8;

interface Walk {
  readonly path: (string | number)[];
  /** The objects around the value; one that holds itself would never end. */
  readonly around: Set<object>;
  size: number;
}

/**
 * Copies a value as JSON: members that are undefined are left out, a `Date` becomes ISO 8601, a `bigint` keeps its
 * digits. Throws `invalid_value` with the path, which begins with `name`, on what JSON cannot hold.
 */
export function plainJson(value: unknown, name: string | readonly [string, ...string[]]): PlainJson {
  const walk: Walk = { path: typeof name === "string" ? [name] : [...name], around: new Set(), size: 0 };
  return { value: copy(value, walk), size: walk.size };
}

export function invalidValue(path: readonly (string | number)[], reason: string): EvalcubeError {
  return new EvalcubeError("invalid_value", `${formatPath(path)}: ${reason}`);
}

function copy(value: unknown, walk: Walk): Json {
  switch (typeof value) {
    case "string":
      walk.size += value.length + 2;
      return value.toWellFormed();
    case "number":
      if (!Number.isFinite(value)) throw refusal(walk, String(value));
      walk.size += 8;
      return value === 0 ? 0 : value;
    case "boolean":
    case "bigint":
      walk.size += 8;
      return value;
    case "object":
      walk.size += 4;
      return value === null ? null : copyObject(value, walk);
    case "undefined":
      throw refusal(walk, "undefined");
    case "function":
    case "symbol":
      throw refusal(walk, `a ${typeof value}`);
  }
}

function copyObject(value: object, walk: Walk): Json {
  if (walk.around.has(value)) throw invalidValue(walk.path, "refers to itself, which JSON cannot");
  if (walk.around.size >= MAX_DEPTH)
    throw invalidValue([walk.path[0] ?? ""], `is nested more than ${MAX_DEPTH} levels deep`);
  walk.around.add(value);
  const copied = Array.isArray(value) ? copyList(value, walk) : copyMembers(value, walk);
  walk.around.delete(value);
  return copied;
}

function copyList(list: readonly unknown[], walk: Walk): Json[] {
  return Array.from(list, (item, i) => {
    walk.path.push(i);
    const copied = copy(item === undefined ? null : item, walk);
    walk.path.pop();
    return copied;
  });
}

function copyMembers(value: object, walk: Walk): Json {
  if (value instanceof Date && Number.isNaN(value.getTime())) throw refusal(walk, "an invalid Date");
  if ("toJSON" in value && typeof value.toJSON === "function") {
    const json: unknown = value.toJSON();
    return copy(json === undefined ? null : json, walk);
  }
  // A Map, an Error or a Promise has no members of its own: it would be stored as {}.
  const kind = Object.prototype.toString.call(value).slice("[object ".length, -1);
  if (kind !== "Object") throw refusal(walk, `${/^[AEIOU]/.test(kind) ? "an" : "a"} ${kind}`);
  const members: { [name: string]: Json } = {};
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    walk.path.push(name);
    walk.size += name.length + 4;
    const own = { value: copy(member, walk), enumerable: true, configurable: true, writable: true };
    Object.defineProperty(members, name.toWellFormed(), own);
    walk.path.pop();
  }
  return members;
}

function refusal(walk: Walk, what: string): EvalcubeError {
  return invalidValue(
    walk.path,
    `${what} is no JSON ${/^(-?Infinity|NaN)$/.test(what) ? "number" : "value"}`,
  );
}

/** The scheme of references that are written; on reading any is accepted. */
const SCHEME = "svc";

export function callReference(projectId: string, id: string): string {
  return `${SCHEME}:///${projectId}/call/${id}`;
}

function objectReference(projectId: string, name: string, version = "latest"): string {
  return `${SCHEME}:///${projectId}/object/${name}:${version}`;
}

/** The reference to a scorer; null where its name cannot stand in one: the op name then tells it. */
export function scorerReference(projectId: string, scorer: string): string | null {
  const written = objectReference(projectId, scorer);
  return parseReference(written)?.name === scorer ? written : null;
}

/**
 * The references to scorers that state a version. Throws `invalid_value` on names and versions that a reference cannot
 * have.
 */
export function scorerReferences(
  projectId: string,
  scorers: Readonly<Record<string, Scorer<never, never>>>,
): ReadonlyMap<string, string> {
  const stated = Object.entries(scorers).flatMap(([name, one]) =>
    typeof one === "function" || one.version === undefined ? [] : [[name, one.version] as const],
  );
  return new Map(
    stated.map(([name, version]) => {
      checkName(["scorers", name], name, /[/:\p{Cc}]/u);
      checkName(["scorers", name, "version"], version, /[/\p{Cc}]/u);
      return [name, objectReference(projectId, name, version)];
    }),
  );
}

/** A model or dataset, as a reference, and what else is said of it. */
interface NamedObject {
  readonly reference: string;
  readonly others: JsonObject;
}

/** `what` is the option: `model` or `dataset`. Throws `invalid_value` on a name that a reference cannot have. */
export function namedObject(projectId: string, what: string, option: Json): NamedObject {
  if (isJsonObject(option)) {
    const { name, version, ...others } = option;
    if (typeof name !== "string") throw invalidValue([what, "name"], "must be a text");
    if (version !== undefined && typeof version !== "string")
      throw invalidValue([what, "version"], "must be a text");
    if (parseReference(name) !== null) return { reference: name, others };
    checkName([what, "name"], name, /[/:\p{Cc}]/u);
    return { reference: checkedReference(projectId, what, name, version), others };
  }
  if (typeof option !== "string") throw invalidValue([what], "must be a text or an object with a name");
  if (parseReference(option) !== null) return { reference: option, others: {} };
  const [name = "", ...versions] = option.split(":");
  const version = versions.length === 0 ? undefined : versions.join(":");
  checkName([what], name, /[/\p{Cc}]/u);
  return { reference: checkedReference(projectId, what, name, version), others: {} };
}

function checkedReference(
  projectId: string,
  what: string,
  name: string,
  version: string | undefined,
): string {
  if (version !== undefined) checkName([what, "version"], version, /[/\p{Cc}]/u);
  return objectReference(projectId, name, version);
}

function checkName(path: readonly string[], name: string, forbidden: RegExp): void {
  if (name === "") throw invalidValue(path, "must not be empty");
  const [found] = forbidden.exec(name) ?? [];
  if (found === undefined) return;
  const shown = /\p{Cc}/u.test(found)
    ? `U+${found.codePointAt(0)?.toString(16).padStart(4, "0").toUpperCase()}`
    : `"${found}"`;
  throw invalidValue(path, `${JSON.stringify(name)} has ${shown}, which a name cannot have`);
}

/** What is kept of an error. */
export interface LoggedFailure {
  /** `<name>: <message>`. */
  readonly exception: string;
  readonly stack: string | null;
}

const MAX_STACK_BYTES = 16 * 1024;

/** Reads whatever was thrown. The text is never empty, since an empty exception is none. */
export function loggedFailure(error: unknown): LoggedFailure {
  try {
    return readFailure(error);
  } catch {
    // Its members cannot be read: a getter that throws, a revoked proxy.
    return { exception: "Error", stack: null };
  }
}

function readFailure(error: unknown): LoggedFailure {
  if (!isErrorLike(error)) return { exception: storable(textOf(error)) || "Error", stack: null };
  const { name, message, stack } = error;
  const exception = storable(message === "" ? name : `${name}: ${message}`) || "Error";
  return { exception, stack: typeof stack === "string" ? cutTo(storable(stack), MAX_STACK_BYTES) : null };
}

/** Also errors of another realm, such as those of `vm` and of test runners. */
function isErrorLike(
  error: unknown,
): error is { readonly name: string; readonly message: string; readonly stack?: unknown } {
  return (
    typeof error === "object" &&
    error !== null &&
    "name" in error &&
    "message" in error &&
    typeof error.name === "string" &&
    typeof error.message === "string"
  );
}

function textOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return String(error);
  try {
    // Undefined where `toJSON` gives nothing, whatever its type says.
    const text: unknown = JSON.stringify(error);
    if (typeof text === "string") return text;
  } catch {
    // A cycle, or a `toJSON` that throws.
  }
  return Object.prototype.toString.call(error);
}

/** A text member of a call cannot hold U+0000. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\uFFFD");
}

function cutTo(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  return withoutTrailing(Buffer.from(text).subarray(0, bytes).toString("utf8"), "\uFFFD");
}

/** Copies a score. Throws `invalid_value` on what is no number, truth, text, null or object of these. */
export function plainScore(scorer: string, value: unknown): PlainJson {
  if (value instanceof Date)
    throw invalidValue(["scores", scorer], "a Date is no score; log it as a text or a number");
  const plain = plainJson(value, ["scores", scorer]);
  refuseLists(plain.value, ["scores", scorer]);
  return plain;
}

function refuseLists(value: Json, path: readonly string[]): void {
  if (Array.isArray(value)) throw invalidValue(path, "a list is no score; name its items in an object");
  if (!isJsonObject(value)) return;
  for (const [name, member] of Object.entries(value)) refuseLists(member, [...path, name]);
}

/** Why a name is refused. */
export const NO_SCORER_NAME =
  "must have names that are not empty, without U+0000 and halves of surrogate pairs";

export function checkScorer(scorer: unknown): asserts scorer is string {
  if (typeof scorer !== "string" || scorer === "")
    throw invalidValue(["scorer"], "must be a text that is not empty");
  if (!isScorerName(scorer))
    throw invalidValue(["scorer"], "must not contain U+0000 or half of a surrogate pair");
}

export function isScorerName(name: string): boolean {
  return name !== "" && !/[\0\p{Cs}]/u.test(name);
}
