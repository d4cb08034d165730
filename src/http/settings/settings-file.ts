import { readFileSync } from "node:fs";
import { z } from "zod";
import { EvalcubeError, formatPath, type InputPath, type RequestIssue } from "../../errors.ts";
import { fileFault, jsonFault } from "../../model/messages.ts";
import { DISCREET_WORDING, schemaError } from "../../model/schema-issues.ts";

/**
 * Reads a JSON file of settings. Every error message is one line that names the file and the location in it; `hint`
 * says how to create the file.
 */
export function readSettings<T extends z.ZodType>(
  path: string,
  schema: T,
  what: string,
  hint = "",
): z.output<T> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    const message = `The ${what} ${path} cannot be read: ${fileFault(cause)}${hint}.`;
    throw new EvalcubeError("unreadable_file", message, { cause });
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new EvalcubeError("malformed_file", `The ${what} ${path} is not JSON${jsonFault(text, cause)}.`, {
      cause,
    });
  }
  return checkSettings(value, schema, `${what} ${path}`);
}

/** Checks the content of a file that is already parsed. */
export function checkSettings<T extends z.ZodType>(value: unknown, schema: T, what: string): z.output<T> {
  const result = schema.safeParse(value, DISCREET_WORDING);
  if (result.success) return result.data;
  const { loc, msg } = firstIssue(result.error);
  const place = loc.length === 0 ? "" : ` at ${formatPath(loc)}`;
  throw new EvalcubeError("malformed_file", `The ${what} is malformed${place}: ${msg}`);
}

/** Checks the content of a file that is given instead of its path, as the option `name`. */
export function checkContent<T extends z.ZodType>(value: unknown, schema: T, name: string): z.output<T> {
  const result = schema.safeParse(value, DISCREET_WORDING);
  if (result.success) return result.data;
  if (typeof value !== "object" || value === null) {
    const what = "must be the path of a JSON file, or its content as an object";
    throw new EvalcubeError("invalid_option", `options.${name} ${what}`);
  }
  const { loc, msg } = firstIssue(result.error, ["options", name]);
  throw new EvalcubeError("invalid_option", `${formatPath(loc)}: ${msg}`);
}

function firstIssue(error: z.ZodError, place: InputPath = []): RequestIssue {
  const [first] = schemaError(error, place).issues;
  return first ?? { loc: place, msg: "invalid", type: "invalid" };
}
