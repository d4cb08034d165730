import { z } from "zod";
import type { InputPath } from "../errors.ts";
import { schemaError } from "./schema-issues.ts";

/** DuckDB's client takes texts as C strings: a NUL would cut them. */
export const plainText = z.string().regex(/^[^\0]*$/, "must not contain U+0000");

/** A function of the caller's; what it takes and gives back is its own affair. */
export function functionOf<T>() {
  return z.custom<T>((value) => typeof value === "function", "must be a function");
}

/** What a library call was given, as its schema reads it. Throws `RequestError` with the path from `place` on. */
export function checkArgument<T extends z.ZodType>(
  value: unknown,
  schema: T,
  place: InputPath = [],
): z.output<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw schemaError(parsed.error, place);
}
