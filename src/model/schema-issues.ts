import type { z } from "zod";
import { UnwritableJson, writeJson } from "./json.ts";
import { RequestError, type InputPath, type RequestIssue } from "../errors.ts";

/** The faults that a schema found in a value at `place`, in the shape that callers get. */
export function schemaError(error: z.ZodError, place: InputPath = []): RequestError {
  const issues = error.issues.flatMap((issue) => toIssues(issue, place));
  const [first = { loc: [], msg: "invalid", type: "invalid" }, ...rest] = issues;
  return new RequestError("schema", [first, ...rest]);
}

/** A value as JSON text. Throws `RequestError` on values that JSON cannot hold: NaN, functions, cycles. */
export function requestText(value: unknown, place: InputPath = []): string {
  try {
    return writeJson(value);
  } catch (error) {
    if (!(error instanceof UnwritableJson)) throw error;
    throw new RequestError("schema", [
      { loc: [...place, ...error.path], msg: error.message, type: "invalid_type" },
    ]);
  }
}

function toIssues(issue: z.core.$ZodIssue, place: InputPath): RequestIssue[] {
  const loc = [...place, ...issue.path.map((part) => (typeof part === "number" ? part : String(part)))];
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({ loc: [...loc, key], msg: "unknown member", type: "unrecognized_key" }));
  }
  return [{ loc, msg: issue.message, type: issue.code }];
}
