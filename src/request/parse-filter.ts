import type { InputPath } from "../errors.ts";
import { shown } from "../model/messages.ts";
import { usageFault } from "./meaningless.ts";

/** The condition that each operator makes of a field and a value. */
const CONDITIONS = {
  "=": (field, value) => ({ $eq: [field, literal(value)] }),
  "!=": (field, value) => ({ $not: [{ $eq: [field, literal(value)] }] }),
  "<": (field, value) => ({ $lt: [field, literal(value)] }),
  "<=": (field, value) => ({ $lte: [field, literal(value)] }),
  ">": (field, value) => ({ $gt: [field, literal(value)] }),
  ">=": (field, value) => ({ $gte: [field, literal(value)] }),
  contains: (field, value) => ({
    $contains: { input: field, substr: literal(typeof value === "string" ? value : JSON.stringify(value)) },
  }),
  in: (field, value) => ({ $in: [field, Array.isArray(value) ? value.map(literal) : value] }),
} satisfies Record<string, (field: object, value: unknown) => object>;

const OPERATORS = Object.keys(CONDITIONS).join(" ");
/** An operator that stands behind a field; a word stands alone. */
const OPERATOR = /[=!<>~]{1,9}|(?<=\s)(?:contains|in)(?=\s|$)/;

/** The longest text of a filter, in UTF-16 code units. */
export const MOST_FILTER_CHARACTERS = 10_000;

/** Reads `FIELD OP VALUE` as a filter of a request. `place` names the flag in errors. */
export function parseFilter(text: string, place: InputPath): object {
  if (text.length > MOST_FILTER_CHARACTERS)
    throw usageFault(place, `must have at most ${MOST_FILTER_CHARACTERS} characters`);
  const { field, operator, value } = filterParts(text.trim());
  if (operator === null)
    throw usageFault(place, `${shown(text)} is not FIELD OP VALUE with one of ${OPERATORS}`);
  if (!isOperator(operator))
    throw usageFault(place, `there is no operator ${operator}; there are ${OPERATORS}`);
  if (value === "") throw usageFault(place, `${operator} needs a value after it; "" is the empty text`);
  const read = jsonOrText(value);
  if (operator === "in" && !Array.isArray(read))
    throw usageFault(place, `in needs a JSON list after it, such as ["a", "b"], not ${shown(value)}`);
  return { query: { $expr: CONDITIONS[operator]({ $getField: field }, read) } };
}

/** The field of a filter as it is written, its operator, null where there is none, and its value. */
export function filterParts(text: string) {
  // An operator stands behind the first character.
  const found = OPERATOR.exec(text.slice(1));
  if (found === null) return { field: text, operator: null, value: "" };
  const [operator] = found;
  const at = 1 + found.index;
  return {
    field: text.slice(0, at).trimEnd(),
    operator,
    value: text.slice(at + operator.length).trimStart(),
  };
}

function isOperator(text: string): text is keyof typeof CONDITIONS {
  return Object.hasOwn(CONDITIONS, text);
}

function literal(value: unknown): object {
  return { $literal: value };
}

/** The value that a JSON text spells, otherwise the text as it stands. */
function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** What may follow the field; evaluations that differ most come first. */
const ORDERS = {
  asc: { direction: "asc" },
  desc: { direction: "desc" },
  difference: { mode: "difference", direction: "desc" },
};

/** Reads `FIELD[:asc|desc|difference]` as a sort key of a request. `place` names the flag in errors. */
export function parseSort(text: string, place: InputPath): object {
  const [, field = text, order = "asc"] = /^(.*):([^:]*)$/s.exec(text) ?? [];
  if (!isOrder(order))
    throw usageFault(
      place,
      `there is no order ${JSON.stringify(order)}; there are ${Object.keys(ORDERS).join(", ")}, and a field with a colon needs one of them after it`,
    );
  return { field, ...ORDERS[order] };
}

function isOrder(text: string): text is keyof typeof ORDERS {
  return Object.hasOwn(ORDERS, text);
}

/** Reads `FIELD[:asc|desc]` as a sort key of a leaderboard; any other ending is part of the field. */
export function parseEntrySort(text: string): {
  readonly field: string;
  readonly direction?: "asc" | "desc";
} {
  const [, field = text, direction] = /^(.*):(asc|desc)$/s.exec(text) ?? [];
  return direction === "asc" || direction === "desc" ? { field, direction } : { field };
}
