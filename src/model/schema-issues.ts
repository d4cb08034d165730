import { z } from "zod";
import { UnwritableJson, writeJson } from "./json.ts";
import { RequestError, type InputPath, type RequestIssue, requestFault } from "../errors.ts";
import { didYouMean } from "./nearest.ts";
import { shown } from "./messages.ts";

/** More faults of one value are not told. */
export const MOST_ISSUES = 100;

/** How a schema words what it finds in what may hold secrets: no value is shown. */
export const DISCREET_WORDING = { error: wordIssue } as const;
/** How a schema words what it finds; to be given to its `safeParse`. */
export const WORDING = { ...DISCREET_WORDING, reportInput: true } as const;

/** The faults that a schema found in a value at `place`, in the shape that callers get. */
export function schemaError(error: z.ZodError, place: InputPath = []): RequestError {
  const issues = error.issues.slice(0, MOST_ISSUES).flatMap((issue) => toIssues(issue, place));
  const [first = { loc: [], msg: "invalid", type: "invalid" }, ...rest] = issues;
  return new RequestError("schema", [first, ...rest]);
}

/** A value as JSON text. Throws `RequestError` on values that JSON cannot hold: NaN, functions, cycles. */
export function requestText(value: unknown, place: InputPath = []): string {
  try {
    return writeJson(value);
  } catch (error) {
    if (!(error instanceof UnwritableJson)) throw error;
    throw requestFault("schema", [...place, ...error.path], error.message, "invalid_type");
  }
}

/** One issue for each unknown member. */
export function unknownMembers(issue: z.core.$ZodIssueUnrecognizedKeys, loc: InputPath): RequestIssue[] {
  const messages = issue.message.split(SEPARATOR);
  return issue.keys.slice(0, MOST_ISSUES).map((key, i) => ({
    loc: [...loc, key],
    msg: messages[i] ?? UNKNOWN,
    type: "unrecognized_key",
  }));
}

function toIssues(issue: z.core.$ZodIssue, place: InputPath): RequestIssue[] {
  const loc = [...place, ...issue.path.map((part) => (typeof part === "number" ? part : String(part)))];
  if (issue.code === "unrecognized_keys") return unknownMembers(issue, loc);
  const typed = issue.code === "invalid_union" ? issue.errors.filter(hasItsType) : [];
  const meant = typed.length === 1 ? typed : typed.filter(isWhole);
  if (meant.length === 1) return meant.flat().flatMap((one) => toIssues(one, loc));
  return [{ loc, msg: wordValue(issue, loc), type: issue.code }];
}

/** Whether of an alternative more is wrong than the type of the value as a whole. */
function hasItsType(issues: readonly z.core.$ZodIssue[]): boolean {
  return issues.every(({ code, path }) => code !== "invalid_type" || path.length > 0);
}

/** Whether the value has every member that an alternative needs. */
function isWhole(issues: readonly z.core.$ZodIssue[]): boolean {
  return issues.every(({ code, message }) => code !== "invalid_type" || !message.startsWith(REQUIRED));
}

/** Members whose values are in no message. */
const SECRET = /password|token|secret/i;

/** The message of an issue, with the value that it refuses where the schema reports it. */
export function wordValue(issue: z.core.$ZodIssue, loc: InputPath): string {
  const { code, message } = issue;
  if (code === "invalid_type" && message.startsWith(REQUIRED)) return message;
  if (!("input" in issue) || loc.some((part) => SECRET.test(String(part)))) return message;
  const wanted =
    code === "invalid_type"
      ? `expected ${issue.expected === "record" ? "object" : issue.expected}`
      : message.replace(/^Invalid (input|option): /, "");
  if (issue.input === undefined && loc.length > 0) return `${REQUIRED}; ${wanted}`;
  const isCounted = (code === "too_big" || code === "too_small") && COUNTED.has(issue.origin);
  return isCounted ? message : `${wanted}, not ${shown(issue.input)}`;
}

const REQUIRED = "is required";

const UNKNOWN = "unknown member";
/**
 * Between the messages of several unknown members, which the schema tells as one issue; JSON texts have no line end.
 */
const SEPARATOR = "\n";

function wordIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === "unrecognized_keys") {
    const names = issue.inst instanceof z.ZodObject ? Object.keys(issue.inst.shape) : [];
    return issue.keys
      .slice(0, MOST_ISSUES)
      .map((key) => `${UNKNOWN}${didYouMean(key, names) || listed(names)}`)
      .join(SEPARATOR);
  }
  if (issue.code === "too_big" || issue.code === "too_small") return wordBound(issue);
  if (issue.code === "invalid_key") return `its name ${issue.issues[0]?.message ?? "is not allowed"}`;
  const missing = issue.input === undefined && (issue.path ?? []).length > 0;
  return missing && issue.code === "invalid_type" ? `${REQUIRED}; expected ${issue.expected}` : undefined;
}

/** What is counted where a bound is not of the value itself. */
const COUNTED: ReadonlyMap<string, string> = new Map([
  ["array", "item"],
  ["set", "item"],
  ["string", "character"],
]);

/** `must be at least 0`, `must have at most 200 items`. */
function wordBound(issue: Extract<z.core.$ZodRawIssue, { code: "too_big" | "too_small" }>): string {
  const isMost = issue.code === "too_big";
  const bound = String(isMost ? issue.maximum : issue.minimum);
  const noun = COUNTED.get(issue.origin);
  const what = noun === undefined ? bound : `${bound} ${noun}${bound === "1" ? "" : "s"}`;
  const verb = noun === undefined ? "must be" : "must have";
  if (issue.inclusive === false) return `${verb} ${isMost ? "less" : "more"} than ${what}`;
  return `${verb} at ${isMost ? "most" : "least"} ${what}`;
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? "" : `; there are ${names.join(", ")}`;
}
