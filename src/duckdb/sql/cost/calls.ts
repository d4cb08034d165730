import { WrittenNumber } from "../syntax/written-json.ts";
import { lower, objectAt, objectsAt, text, type TreeNode } from "../syntax/tree.ts";
import {
  bytesAt,
  charactersOf,
  constantCount,
  constantText,
  elements,
  type FunctionCall,
  longest,
  matched,
  matchedLike,
  refusedCall,
  searched,
  together,
  total,
  wholeNumber,
} from "./arguments.ts";
import { SHORT_BYTES } from "./limits.ts";
import { formatFault, formattedBytes, likeSteps, replacedBytes, wildcardSteps } from "./patterns.ts";
import type { Constant } from "./meter.ts";

/**
 * Functions of the rule `top` that take the number of values as their second argument; the others take it as their
 * third.
 */
const COUNT_IS_SECOND: ReadonlySet<string> = new Set(["max", "min", "approx_top_k"]);

/** Rules by the headings of functions-allowed.txt; each returns the most bytes that the result of a call has. */
const RULES = {
  short: () => SHORT_BYTES,
  longest,
  sort: longest,
  together,
  "times 6": (call: FunctionCall) => 6 * together(call),
  "times 16": (call: FunctionCall) => 16 * together(call),
  separated: (call: FunctionCall) => {
    const [list = 0, ...separators] = call.args.map(({ bytes }) => bytes);
    return 2 * list + elements(list) * total(separators);
  },
  joined: (call: FunctionCall) => together(call) + call.args.length * bytesAt(call, 0),
  search: (call: FunctionCall) => short(searched(call, bytesAt(call, 1))),
  split: (call: FunctionCall) => SHORT_BYTES * bytesAt(searched(call, bytesAt(call, 1)), 0),
  replace: (call: FunctionCall) => {
    const all = bytesAt(searched(call, bytesAt(call, 1)), 0);
    return all + all * bytesAt(call, 2);
  },
  like: (call: FunctionCall) => short(matchedLike(call, likeSteps)),
  pattern: (call: FunctionCall) => short(matchedLike(call, wildcardSteps)),
  regex: (call: FunctionCall) => short(matched(call)),
  "regex part": (call: FunctionCall) => {
    const groups = constantText(matched(call), 1).split("(").length;
    return bytesAt(call, 0) * (call.args.length > 2 ? groups : 1);
  },
  "regex split": (call: FunctionCall) => SHORT_BYTES * bytesAt(matched(call), 0),
  "regex replace": (call: FunctionCall) => replacedBytes(bytesAt(matched(call), 0), constantText(call, 2)),
  "json path": (call: FunctionCall) => {
    const [value, path] = call.args;
    const given = typeof path?.constant === "string" ? path.constant : "";
    if (given.includes("**") || given.includes(".."))
      throw refusedCall(call, "a path through all levels", "name the levels");
    const pieces = given.includes("*") ? SHORT_BYTES : 1;
    return (value?.bytes ?? 0) * (path?.items ?? pieces);
  },
  width: (call: FunctionCall) => 4 * constantCount(call, 1),
  format: (call: FunctionCall) => formattedBytes(constantText(call, 0, formatFault), longest(call)),
  "times of a format": (call: FunctionCall) => {
    if (!call.args.some(({ constant }) => typeof constant === "string"))
      throw refusedCall(call, "a format that is not constant", "write it as one text");
    return 16 * longest(call);
  },
  beginning: (call: FunctionCall) => charactersOf(call, call.args[1]),
  part: (call: FunctionCall) => charactersOf(call, call.args[2]),
  slice: (call: FunctionCall) => {
    const count = lengthOfSlice(call);
    const [list] = call.args;
    return count === null || list === undefined
      ? longest(call)
      : Math.min(list.bytes, count * (list.element ?? list.bytes));
  },
  top: (call: FunctionCall) => {
    const at = COUNT_IS_SECOND.has(call.name.toLowerCase()) ? 1 : 2;
    return call.args.length > at ? constantCount(call, at) * bytesAt(call, 0) : longest(call);
  },
  range: (call: FunctionCall) => {
    const [first, last = first] = call.args.slice(0, 2).map((_, i) => constantCount(call, i));
    const steps = call.args.length === 1 ? (first ?? 0) : (last ?? 0) - (first ?? 0);
    return SHORT_BYTES * (Math.abs(steps) + 1);
  },
  table: (call: FunctionCall) => {
    throw refusedCall(call, "its result as a value", "read from it, such as FROM json_each(x)");
  },
  collect: () => Infinity,
} satisfies Readonly<Record<string, (call: FunctionCall) => number>>;

export type PlainRule = keyof typeof RULES;

/**
 * The rule of a function. `transform` and `filter` are calls with a lambda, which is measured once and counts for
 * each element.
 */
export type Rule = PlainRule | "transform" | "filter";

export function isRule(name: string): name is Rule {
  return name in RULES || name === "transform" || name === "filter";
}

/** Returns the most bytes of a call's result. Throws `RequestError` where an argument is not allowed. */
export function resultBytes(rule: PlainRule, call: FunctionCall): number {
  return RULES[rule](call);
}

function short(_call: FunctionCall): number {
  return SHORT_BYTES;
}

/** The number of elements of a slice; null where it may be any. A bound that is left out is the constant null. */
function lengthOfSlice({ args }: FunctionCall): number | null {
  const [from, to] = args.slice(1).map(({ constant }) => (constant === null ? null : wholeNumber(constant)));
  const first = from === null ? 1 : from;
  if (first === undefined || to === undefined || to === null) return null;
  return Math.sign(first) === Math.sign(to) ? Math.abs(to - first) + 1 : null;
}

/**
 * The value of an expression that is the same for every record: a constant, a parameter, or texts put together.
 * Undefined for any other expression and for a constant whose value is not used. A slice bound that is left out is
 * null.
 */
export function constantOf(
  tree: TreeNode,
  parameter: (identifier: string) => Constant | undefined,
): Constant | undefined {
  const kind = text(tree["class"]);
  if (kind === "PARAMETER") return parameter(text(tree["identifier"]));
  if (kind === "CAST") {
    const child = objectAt(tree, "child");
    const isText = text(objectAt(tree, "cast_type")?.["id"]) === "VARCHAR";
    return child === null || !isText ? undefined : constantOf(child, parameter);
  }
  if (kind === "FUNCTION" && ["||", "concat"].includes(lower(tree["function_name"]))) {
    const texts = objectsAt(tree, "children").map((child) => constantOf(child, parameter));
    return texts.every((part) => typeof part === "string") ? texts.join("") : undefined;
  }
  return kind === "CONSTANT" ? literal(objectAt(tree, "value")) : undefined;
}

function literal(value: TreeNode | null): Constant | undefined {
  if (value === null || value["is_null"] === true) return null;
  const found = value["value"];
  const type = text(objectAt(value, "type")?.["id"]);
  if (type === "LIST") return null;
  // A decimal constant holds only the digits, without the scale.
  if (found instanceof WrittenNumber) return type === "DECIMAL" ? undefined : Number(found.spelling);
  return typeof found === "object" ? undefined : found;
}
