import { z } from "zod";
import { fieldName } from "../../model/arguments.ts";
import { isJsonObject, type Json, writeJson } from "../../model/json.ts";
import { readTextNumber } from "../../model/numbers.ts";
import { parseUtcTimestamp } from "../../model/timestamp.ts";

const literal = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** A part of a condition: a value, or an operator by the name of its one member. */
export interface Operand {
  readonly $literal?: z.output<typeof literal> | undefined;
  readonly $getField?: string | undefined;
  readonly $convert?: Conversion | undefined;
  readonly $and?: readonly Operand[] | undefined;
  readonly $or?: readonly Operand[] | undefined;
  readonly $not?: readonly Operand[] | Operand | undefined;
  readonly $eq?: Pair | undefined;
  readonly $gt?: Pair | undefined;
  readonly $gte?: Pair | undefined;
  readonly $lt?: Pair | undefined;
  readonly $lte?: Pair | undefined;
  readonly $in?: readonly [Operand, readonly Operand[]] | undefined;
  readonly $contains?: Containment | undefined;
}

type Pair = readonly [Operand, Operand];
export type ComparisonOperator = (typeof COMPARISONS)[number];

interface Conversion {
  readonly input: Operand;
  readonly to: "double" | "int" | "string" | "bool" | "exists";
}

export interface Containment {
  readonly input: Operand;
  readonly substr: Operand;
  readonly case_insensitive?: boolean | null | undefined;
}

export const COMPARISONS = ["$eq", "$gt", "$gte", "$lt", "$lte"] as const;

/** Members are looked up by name: a union would try each operator in turn, at each level. */
const operand: z.ZodType<Operand> = z
  .lazy(() => {
    const pair = z.tuple([operand, operand]).optional();
    const parts = z.array(operand).optional();
    return z
      .strictObject({
        $literal: literal.optional(),
        $getField: fieldName.optional(),
        $convert: z
          .strictObject({ input: operand, to: z.enum(["double", "int", "string", "bool", "exists"]) })
          .optional(),
        $and: parts,
        $or: parts,
        $not: z.union([z.array(operand).length(1), operand]).optional(),
        $eq: pair,
        $gt: pair,
        $gte: pair,
        $lt: pair,
        $lte: pair,
        $in: z.tuple([operand, z.array(operand)]).optional(),
        $contains: z
          .strictObject({ input: operand, substr: operand, case_insensitive: z.boolean().nullish() })
          .optional(),
      })
      .refine((one) => Object.keys(one).length === 1, "must have one member, which names the operator");
  })
  .meta({ id: "WeaveOperand", minProperties: 1, maxProperties: 1 });

/** A condition as requests have it. */
export interface WeaveQuery {
  readonly $expr: Operand;
}

/** The `query` of requests that read calls and feedback. */
// With a named type: the declarations of schemas that hold this one would write the nested type out, 50 MB each.
export const querySchema: z.ZodType<WeaveQuery> = z.looseObject({
  $expr: z.preprocess((expression, context) => {
    const fault = sizeFault(expression);
    if (fault !== null) context.addIssue({ code: "custom", message: fault });
    return expression;
  }, operand),
});

const MOST_OPERANDS = 1000;
const DEEPEST_OPERANDS = 100;

/** What is wrong with the size of an expression, which is looked at before its schema; null where nothing is. */
function sizeFault(expression: unknown): string | null {
  let operands = 0;
  let level: readonly unknown[] = [expression];
  for (let depth = 1; level.length > 0; depth++, level = level.flatMap(operandsIn)) {
    operands += level.length;
    if (operands > MOST_OPERANDS) return `must have at most ${MOST_OPERANDS} operands`;
    if (depth > DEEPEST_OPERANDS) return `must be nested at most ${DEEPEST_OPERANDS} operands deep`;
  }
  return null;
}

function operandsIn(value: unknown): readonly unknown[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap((member: unknown) =>
    Array.isArray(member) ? (member as unknown[]).flat() : typeof member === "object" ? [member] : [],
  );
}

/** The value at a path inside another; null where there is none. A whole-number segment indexes a list. */
export function valueAt(value: Json, segments: readonly string[]): Json {
  let at = value;
  for (const segment of segments) {
    if (Array.isArray(at))
      at = /^(0|[1-9]\d*)$/.test(segment) ? ((at as readonly Json[])[Number(segment)] ?? null) : null;
    else at = isJsonObject(at) && Object.hasOwn(at, segment) ? (at[segment] ?? null) : null;
  }
  return at;
}

/** The value as a number, where it is one, a boolean, or a text that spells one. */
export function numberOf(value: Json): number | null {
  if (typeof value === "string") return readTextNumber(value);
  if (typeof value === "boolean" || typeof value === "bigint" || typeof value === "number") {
    const number = Number(value);
    return Number.isFinite(number) ? number : null;
  }
  return null;
}

/** The value as a text; objects and lists as compact JSON. */
export function operandText(value: Json): string | null {
  if (value === null || typeof value === "string") return value;
  return typeof value === "object" ? writeJson(value) : String(value);
}

/** The value as true or false, where it is one of them, 1, 0, or their text. */
export function booleanOf(value: Json): boolean | null {
  if (value === true || value === 1 || value === "true") return true;
  return value === false || value === 0 || value === "false" ? false : null;
}

/** Microseconds since 1970 of a time: seconds, or an ISO 8601 text, in UTC where it has no offset. */
export function momentOf(value: Json): number | null {
  if (typeof value === "number") return value * 1e6;
  if (typeof value !== "string") return null;
  const time = parseUtcTimestamp(value);
  return time === null ? null : Number(time);
}
