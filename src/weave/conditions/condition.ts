import { requestFault } from "../../errors.ts";
import type { Json } from "../../model/json.ts";
import { LongField } from "./long-field.ts";
import {
  booleanOf,
  type ComparisonOperator,
  COMPARISONS,
  type Containment,
  momentOf,
  numberOf,
  type Operand,
  operandText,
  type WeaveQuery,
} from "./operands.ts";

/** Reads the thing that is tested. May throw `LongField`. */
export interface Fields {
  /** The value of a field; null where there is none. */
  readonly valueOf: (field: string) => Json;
  /** How the text of a field begins, where this is known before it is read in full; null where it is not. */
  readonly beginningOf?: (field: string) => string | null;
  /** Whether a field has a value, and it is known without reading that in full that its text lacks a part. */
  readonly lacks?: (field: string, part: string, folds: boolean) => boolean;
}

/** Steps of work on one record, each as short as the record allows. */
type Steps<T> = Generator<void, T, undefined>;

/** A condition: true, false, or null where it is unknown. */
export type Condition = (fields: Fields) => Steps<boolean | null>;

/**
 * The condition of a query, over the fields that `isField` knows. Throws `RequestError` on any other, and on an empty
 * `$and` or `$or`.
 */
export function conditionOf(query: WeaveQuery, isField: (field: string) => boolean): Condition {
  checkMeaning(query.$expr, isField);
  return (fields) => truth(query.$expr, fields);
}

function checkMeaning(expression: unknown, isField: (field: string) => boolean): void {
  if (Array.isArray(expression)) for (const one of expression) checkMeaning(one, isField);
  if (typeof expression !== "object" || expression === null || Array.isArray(expression)) return;
  for (const [name, member] of Object.entries(expression)) {
    if (name === "$getField" && typeof member === "string" && !isField(member)) {
      const msg = `unknown field ${JSON.stringify(member)}`;
      throw requestFault("meaning", ["query", "$expr"], msg, "unknown_field");
    }
    if ((name === "$and" || name === "$or") && Array.isArray(member) && member.length === 0) {
      const msg = `${name} needs at least one operand`;
      throw requestFault("meaning", ["query", "$expr"], msg, "no_operand");
    }
    if (name !== "$literal") checkMeaning(member, isField);
  }
}

/** Three-valued, as in SQL. */
function* truth(expression: Operand, fields: Fields): Steps<boolean | null> {
  const { $and, $or, $not, $in, $contains } = expression;
  if ($and !== undefined) return yield* every($and, (one) => truth(one, fields));
  if ($or !== undefined) return yield* some($or, (one) => truth(one, fields));
  if ($not !== undefined) {
    const [first] = [$not].flat();
    return first === undefined ? null : not(yield* truth(first, fields));
  }
  if ($in !== undefined) {
    const [tested, options] = $in;
    return yield* some(options, (one) => compare("$eq", tested, one, fields));
  }
  if ($contains !== undefined) return yield* contains($contains, fields);
  for (const name of COMPARISONS) {
    const pair = expression[name];
    if (pair !== undefined) return yield* compare(name, pair[0], pair[1], fields);
  }
  return isTruthy(yield* valueOf(expression, fields));
}

/** Whether all hold. One that does not decides, whatever long texts the others ask for. */
function* every(
  operands: readonly Operand[],
  holds: (one: Operand) => Steps<boolean | null>,
): Steps<boolean | null> {
  const values: (boolean | null)[] = [];
  let long: LongField | null = null;
  for (const one of operands)
    try {
      values.push(yield* holds(one));
    } catch (error) {
      if (!(error instanceof LongField)) throw error;
      long = error;
    }
  if (values.includes(false)) return false;
  if (long !== null) throw long;
  return values.includes(null) ? null : true;
}

function* some(
  operands: readonly Operand[],
  holds: (one: Operand) => Steps<boolean | null>,
): Steps<boolean | null> {
  const none = yield* every(operands, function* (one) {
    return not(yield* holds(one));
  });
  return not(none);
}

function not(value: boolean | null): boolean | null {
  return value === null ? null : !value;
}

function isTruthy(value: Json): boolean | null {
  if (value === null || typeof value === "object") return null;
  return typeof value === "string" ? value !== "" : Boolean(value);
}

function* contains(
  { input, substr, case_insensitive: folds }: Containment,
  fields: Fields,
): Steps<boolean | null> {
  yield;
  const part = operandText(yield* valueOf(substr, fields));
  if (part === null) return null;
  const isFolded = folds === true;
  if (input.$getField !== undefined && fields.lacks?.(input.$getField, part, isFolded) === true) return false;
  const whole = operandText(yield* valueOf(input, fields));
  if (whole === null) return null;
  return isFolded ? whole.toLowerCase().includes(part.toLowerCase()) : whole.includes(part);
}

function* valueOf(expression: Operand, fields: Fields): Steps<Json> {
  if (expression.$literal !== undefined) return expression.$literal;
  if (expression.$getField !== undefined) return fields.valueOf(expression.$getField);
  if (expression.$convert === undefined) return yield* truth(expression, fields);
  const { input, to } = expression.$convert;
  if (to === "exists") return yield* isThere(input, fields);
  const value = yield* valueOf(input, fields);
  if (to === "string") return operandText(value);
  if (to === "bool") return booleanOf(value);
  const number = numberOf(value);
  return to === "int" && number !== null && !Number.isInteger(number) ? null : number;
}

/** Whether an operand has a value. That a long text is there is known before it is read. */
function* isThere(operand: Operand, fields: Fields): Steps<boolean> {
  try {
    return (yield* valueOf(operand, fields)) !== null;
  } catch (error) {
    if (error instanceof LongField && error.isThere && operand.$getField !== undefined) return true;
    throw error;
  }
}

const TIMES: ReadonlySet<string | undefined> = new Set([
  "started_at",
  "ended_at",
  "created_at",
  "effective_date",
]);

/** Compares times as times, else as the literal opposite asks, else as numbers where both are, else as texts. */
function* compare(
  name: ComparisonOperator,
  left: Operand,
  right: Operand,
  fields: Fields,
): Steps<boolean | null> {
  yield;
  if (isNull(left) || isNull(right))
    return name === "$eq" ? !(yield* isThere(isNull(left) ? right : left, fields)) : null;
  const begun = [beginning(left, right, fields), beginning(right, left, fields)] as const;
  if (begun[0] !== begun[1]) return ordered(name, ...begun);
  const values = [yield* valueOf(left, fields), yield* valueOf(right, fields)] as const;
  if (TIMES.has(left.$getField) || TIMES.has(right.$getField)) {
    const [a, b] = [momentOf(values[0]), momentOf(values[1])];
    if (a !== null && b !== null) return ordered(name, a, b);
  }
  const guide = right.$literal ?? left.$literal ?? null;
  const readings = {
    number: numberOf,
    boolean: (value: Json) => numberOrNull(booleanOf(value)),
    string: operandText,
  };
  const kind = typeof guide;
  if (guide !== null && (kind === "number" || kind === "boolean" || kind === "string"))
    return ordered(name, readings[kind](values[0]), readings[kind](values[1]));
  const numbers = [numberOf(values[0]), numberOf(values[1])] as const;
  return numbers[0] !== null && numbers[1] !== null
    ? ordered(name, numbers[0], numbers[1])
    : ordered(name, operandText(values[0]), operandText(values[1]));
}

/** How an operand begins, of a long field and a text that are compared; null where the field tells no beginning. */
function beginning(one: Operand, other: Operand, fields: Fields): string | null {
  const field = one.$getField ?? other.$getField;
  const text = one.$literal ?? other.$literal;
  if (field === undefined || typeof text !== "string") return null;
  const begins = fields.beginningOf?.(field) ?? null;
  if (begins === null || one.$getField !== undefined) return begins;
  const isHalf = /[\ud800-\udbff]/.test(text.charAt(begins.length - 1));
  return text.slice(0, begins.length + (isHalf ? 1 : 0));
}

function isNull({ $literal }: Operand): boolean {
  return $literal === null;
}

function numberOrNull(value: boolean | null): number | null {
  return value === null ? null : Number(value);
}

function ordered(
  name: ComparisonOperator,
  a: number | string | null,
  b: number | string | null,
): boolean | null {
  if (a === null || b === null) return null;
  const order =
    typeof a === "string" && typeof b === "string"
      ? Buffer.compare(Buffer.from(a), Buffer.from(b))
      : Number(a) - Number(b);
  if (name === "$eq") return order === 0;
  if (name === "$gt") return order > 0;
  if (name === "$gte") return order >= 0;
  return name === "$lt" ? order < 0 : order <= 0;
}
