import type { z } from "zod";
import { UnwritableJson, writeJson } from "./json.ts";
import { RequestError, type InputPath, type RequestIssue } from "../errors.ts";

/** What a schema says of a value at `place`, one issue a fault, in the shape that callers are answered with. */
export function schemaError(error: z.ZodError, place: InputPath = []): RequestError {
  const issues = error.issues.flatMap((issue) => toIssues(issue, place));
  const [first = { loc: [], msg: "invalid", type: "invalid" }, ...rest] = issues;
  return new RequestError("schema", [first, ...rest]);
}

/** A value as JSON text. Throws `RequestError` at what JSON has not: NaN, functions, what refers to itself. */
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
