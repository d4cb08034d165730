import type { RequestError } from "../../../errors.ts";
import { refusedStatement } from "../syntax/refusal.ts";
import { LIMITS, SHORT_BYTES } from "./limits.ts";
import type { Constant } from "./meter.ts";
import { regexSteps, type Fault } from "./patterns.ts";

/** What is known of the value of an expression. */
export interface Size {
  /** The most that it has. */
  readonly bytes: number;
  /** Of one element of a list, where that is known. */
  readonly element: number | null;
  /** Terms of the expression, those of the columns that it is made of written out. */
  readonly terms: number;
}

export interface Argument extends Size {
  /** Undefined where it is none. */
  readonly constant: Constant | undefined;
  /** How many a list has whose items are written out. */
  readonly items: number | null;
}

/** A call of an allowed function. */
export interface Call {
  readonly name: string;
  readonly args: readonly Argument[];
  readonly position: number | null;
}

export function refusedCall({ name, position }: Call, what: string, instead: string): RequestError {
  return refusedStatement(`${name}() with ${what}`, instead, position);
}

export function bytesAt({ args }: Call, index: number): number {
  return args[index]?.bytes ?? 0;
}

export function together({ args }: Call): number {
  return total(args.map(({ bytes }) => bytes));
}

export function total(sizes: readonly number[]): number {
  return sizes.reduce((sum, bytes) => sum + bytes, 0);
}

export function longest({ args }: Call): number {
  return args.reduce((most, { bytes }) => Math.max(most, bytes), 0);
}

/** Elements that a list of so many bytes has at most. */
export function elements(bytes: number): number {
  return Math.ceil(bytes / SHORT_BYTES);
}

/** A constant text, in which `fault` finds nothing. */
export function constantText(call: Call, index: number, fault: (text: string) => Fault = () => null): string {
  const given = call.args[index]?.constant;
  if (given === null) return "";
  if (typeof given !== "string")
    throw refusedCall(call, "a pattern that is not constant", "write it as one text, or as a parameter");
  const found = fault(given);
  if (found !== null) throw refusedCall(call, found, "simpler ones are");
  return given;
}

/** A constant whole number, of those that a width or a count may be. */
export function constantCount(call: Call, index: number): number {
  const given = call.args[index]?.constant;
  const count = wholeNumber(given);
  if (count !== undefined && Math.abs(count) <= LIMITS.width) return count;
  throw refusedCall(call, "a count that is not constant, or is large,", `numbers up to ${LIMITS.width} are`);
}

export function wholeNumber(constant: Constant | undefined): number | undefined {
  return typeof constant === "bigint" || typeof constant === "number" ? Number(constant) : undefined;
}

/** So many characters, or all. */
export function charactersOf(call: Call, count: Argument | undefined): number {
  const given = wholeNumber(count?.constant);
  const all = bytesAt(call, 0);
  return given === undefined ? all : Math.min(all, 4 * Math.abs(given));
}

/** Refuses to look for a text of so many bytes in the first argument where that would take too long. */
export function searched(call: Call, bytes: number): Call {
  return withinSteps(call, searchedBytes(call) * Math.max(1, bytes), {
    limit: LIMITS.searchSteps,
    refused: "texts that are too long to be searched",
    instead: "search shorter ones, such as left(x, 1000)",
  });
}

/** The same of a regular expression, the second argument. */
export function matched(call: Call): Call {
  return withinSteps(call, searchedBytes(call) * regexSteps(constantText(call, 1)), {
    limit: LIMITS.regexSteps,
    refused: "a pattern that is too large for its text",
    instead: "use a shorter one, or on a shorter text",
  });
}

/** The same of a pattern with wildcards. */
export function matchedLike(call: Call, stepsOf: (pattern: string, bytes: number) => number): Call {
  return withinSteps(call, stepsOf(constantText(call, 1), searchedBytes(call)), {
    limit: LIMITS.patternSteps,
    refused: "so many wildcards for its text",
    instead: "lower(x) LIKE without _, or a regular expression is",
  });
}

/** Of the first argument; finite, so that what is multiplied with it is a number. */
function searchedBytes(call: Call): number {
  return Math.min(bytesAt(call, 0), 2 ** 40);
}

interface StepLimit {
  readonly limit: number;
  readonly refused: string;
  readonly instead: string;
}

function withinSteps(call: Call, steps: number, { limit, refused, instead }: StepLimit): Call {
  if (steps <= limit) return call;
  throw refusedCall(call, refused, instead);
}
