import { z } from "zod";
import type { InputPath } from "../errors.ts";
import { MOST_FIELD_CHARACTERS, MOST_SEGMENTS, splitFieldPath } from "./field-path.ts";
import { PROJECT_ID, PROJECT_ID_RULE, PROJECT_NAME, PROJECT_NAME_RULE } from "./project-id.ts";
import { schemaError, WORDING } from "./schema-issues.ts";

/** DuckDB's client passes strings as C strings: a NUL would cut them off. */
export const plainText = z.string().regex(/^[^\0]*$/, "must not contain U+0000");

export const projectName = z.string().regex(PROJECT_NAME, PROJECT_NAME_RULE);
export const projectId = z
  .string()
  .regex(PROJECT_ID, PROJECT_ID_RULE)
  .meta({ examples: ["acme/qa"] });

/** The text of a field; `head` is what stands before it unwritten. */
function fieldBehind(head: string) {
  const isShallow = (text: string) =>
    text.length > MOST_FIELD_CHARACTERS || splitFieldPath(head + text).length <= MOST_SEGMENTS;
  return z
    .string()
    .max(MOST_FIELD_CHARACTERS)
    .refine(isShallow, `must have at most ${MOST_SEGMENTS} segments between dots, the head included`);
}

/** A field, such as `scores.judge.correct`. */
export const fieldName = fieldBehind("");
/** A score dimension, or a scorer with all its dimensions: `judge.correct`. */
export const scoreName = fieldBehind("scores.").min(1);

/** An object with so many members at most. */
export function membersUpTo<Schema extends z.ZodType<object>>(most: number, schema: Schema): Schema {
  const isSmall = (value: object) => Object.keys(value).length <= most;
  return schema.refine(isSmall, `must have at most ${most} members`).meta({ maxProperties: most });
}

/** A list of texts, which may be long: of its faults only the first is told. */
export const textList: z.ZodType<string[], string[]> = z.preprocess((value, context) => {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  const wrong = list.findIndex((one) => typeof one !== "string");
  const message = `Invalid input: expected string, received ${typeof list[wrong]}`;
  if (wrong >= 0) context.addIssue({ code: "custom", path: [wrong], message });
  return value;
}, z.array(z.string()));

/** A function of the caller; its parameters and result are not checked. */
export function functionOf<T>() {
  return z.custom<T>((value) => typeof value === "function", "must be a function");
}

/** Checks an argument of a library call. Throws `RequestError`; its path begins with `place`. */
export function checkArgument<T extends z.ZodType>(
  value: unknown,
  schema: T,
  place: InputPath = [],
): z.output<T> {
  const parsed = schema.safeParse(value, WORDING);
  if (parsed.success) return parsed.data;
  throw schemaError(parsed.error, place);
}

/** Nearer to 0 or 1 a level that is corrected for many comparisons would be 0 or 1 itself. */
const NEAREST_LEVEL = 1e-9;

export const confidenceLevel = z
  .number()
  .gt(0)
  .lt(1)
  .refine((level) => level <= 0 || level >= 1 || Math.min(level, 1 - level) >= NEAREST_LEVEL, {
    error: `must be at least ${NEAREST_LEVEL} from 0 and from 1`,
  });
