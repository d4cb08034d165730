import { readNumber, readText } from "./fields.ts";
import type { Json } from "./json.ts";
import { byCodePoint } from "./order.ts";
import type { Comparator, Convert, Operand, Operation, Pair } from "./request.ts";

// Missing and unknown are both null.
export type Truth = boolean | null;
export type Lookup = (field: string) => Json;

export function evaluate(operand: Operand, lookup: Lookup): Json {
  if ("$literal" in operand) return operand.$literal;
  if ("$getField" in operand) return lookup(operand.$getField);
  if ("$convert" in operand) {
    const { input, to } = operand.$convert;
    return CASTS[to](evaluate(input, lookup));
  }
  return operate(operand, lookup);
}

function operate(operation: Operation, lookup: Lookup): Truth {
  if ("$and" in operation) return every(operation.$and.map((operand) => condition(operand, lookup)));
  if ("$or" in operation) return some(operation.$or.map((operand) => condition(operand, lookup)));
  if ("$not" in operation) return not(condition(onlyOperand(operation.$not), lookup));
  if ("$in" in operation) {
    const [operand, options] = operation.$in;
    return some(options.map((option) => compare("$eq", [operand, option], lookup)));
  }
  if ("$contains" in operation) return contains(operation.$contains, lookup);
  if ("$regex" in operation) return matches(operation.$regex, lookup);
  if ("$eq" in operation) return compare("$eq", operation.$eq, lookup);
  if ("$gt" in operation) return compare("$gt", operation.$gt, lookup);
  if ("$gte" in operation) return compare("$gte", operation.$gte, lookup);
  if ("$lt" in operation) return compare("$lt", operation.$lt, lookup);
  return compare("$lte", operation.$lte, lookup);
}

function onlyOperand(operand: readonly [Operand] | Operand): Operand {
  return isTuple(operand) ? operand[0] : operand;
}

function isTuple(operand: readonly [Operand] | Operand): operand is readonly [Operand] {
  return Array.isArray(operand);
}

function every(truths: readonly Truth[]): Truth {
  if (truths.includes(false)) return false;
  return truths.includes(null) ? null : true;
}

function some(truths: readonly Truth[]): Truth {
  if (truths.includes(true)) return true;
  return truths.includes(null) ? null : false;
}

function not(truth: Truth): Truth {
  return truth === null ? null : !truth;
}

function condition(operand: Operand, lookup: Lookup): Truth {
  const value = evaluate(operand, lookup);
  if (typeof value === "boolean") return value;
  if (typeof value === "string") return value !== "";
  if (typeof value === "number" || typeof value === "bigint") return Number(value) !== 0;
  return null;
}

function compare(comparator: Comparator, [left, right]: Pair, lookup: Lookup): Truth {
  const values = [evaluate(left, lookup), evaluate(right, lookup)] as const;
  if (comparator === "$eq" && (isNullLiteral(left) || isNullLiteral(right))) {
    return values[isNullLiteral(right) ? 0 : 1] === null;
  }
  const order = orderOf(values, literalType(right) ?? literalType(left));
  return order === null ? null : HOLDS[comparator](order);
}

function isNullLiteral(operand: Operand): boolean {
  return "$literal" in operand && operand.$literal === null;
}

type LiteralType = "number" | "boolean" | "string";

function literalType(operand: Operand): LiteralType | null {
  const value = "$literal" in operand ? operand.$literal : null;
  if (typeof value === "number") return "number";
  if (typeof value === "boolean") return "boolean";
  return value === null ? null : "string";
}

function orderOf([left, right]: readonly [Json, Json], type: LiteralType | null): number | null {
  const numeric = numericOrder(readNumber(left), readNumber(right));
  const textual = textOrder(readText(left), readText(right));
  if (type === "number") return numeric;
  if (type === "string") return textual;
  if (type === null) return numeric ?? textual;
  return numericOrder(readNumber(readBoolean(left)), readNumber(readBoolean(right)));
}

function readBoolean(value: Json): boolean | null {
  if (value === true || value === 1 || value === "true") return true;
  if (value === false || value === 0 || value === "false") return false;
  return null;
}

function numericOrder(left: number | null, right: number | null): number | null {
  if (left === null || right === null) return null;
  return left === right ? 0 : left < right ? -1 : 1;
}

function textOrder(left: string | null, right: string | null): number | null {
  return left === null || right === null ? null : byCodePoint(left, right);
}

const HOLDS: Readonly<Record<Comparator, (order: number) => boolean>> = {
  $eq: (order) => order === 0,
  $gt: (order) => order > 0,
  $gte: (order) => order >= 0,
  $lt: (order) => order < 0,
  $lte: (order) => order <= 0,
};

const CASTS: Readonly<Record<Convert["$convert"]["to"], (value: Json) => Json>> = {
  double: readNumber,
  int: (value) => {
    const number = readNumber(value);
    return Number.isInteger(number) ? number : null;
  },
  string: readText,
  bool: readBoolean,
  exists: (value) => value !== null,
};

type Contains = Extract<Operation, { readonly $contains: unknown }>["$contains"];

function contains({ input, substr, case_insensitive }: Contains, lookup: Lookup): Truth {
  const whole = readText(evaluate(input, lookup));
  const part = readText(evaluate(substr, lookup));
  if (whole === null || part === null) return null;
  return case_insensitive ? whole.toLowerCase().includes(part.toLowerCase()) : whole.includes(part);
}

type Regex = Extract<Operation, { readonly $regex: unknown }>["$regex"];

// For patterns that JavaScript reads as RE2 does: no `.` beside line ends other than \n, no \s, no \b or \w of any case.
function matches({ input, pattern, case_insensitive }: Regex, lookup: Lookup): Truth {
  const whole = readText(evaluate(input, lookup));
  if (whole === null) return null;
  return new RegExp(pattern.$literal, case_insensitive ? "iu" : "u").test(whole);
}
