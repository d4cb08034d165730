import { readFileSync } from "node:fs";
import { z } from "zod";
import { EvalcubeError } from "../../errors.ts";

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
    const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
    throw new EvalcubeError("unreadable_file", `The ${what} ${path} cannot be read${code}${hint}.`, {
      cause,
    });
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new EvalcubeError("malformed_file", `The ${what} ${path} is not JSON.`, { cause });
  }
  return checkSettings(value, schema, `${what} ${path}`);
}

/** Checks settings that are already parsed. */
export function checkSettings<T extends z.ZodType>(value: unknown, schema: T, what: string): z.output<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const place =
    issue === undefined || issue.path.length === 0 ? "" : ` at ${issue.path.map(String).join(".")}`;
  throw new EvalcubeError(
    "malformed_file",
    `The ${what} is malformed${place}: ${issue?.message ?? "invalid"}.`,
  );
}
