import type { RequestError } from "../../../errors.ts";
import { refusedStatement } from "../syntax/tree.ts";
import { LIMITS, SHORT_BYTES } from "./limits.ts";
import type { Constant } from "./meter.ts";
import { regexSteps, type Fault } from "./patterns.ts";

/** Bounds on the value of an expression. */
export interface Size {
  /** The most bytes that the value may have. */
  readonly bytes: number;
  /** The most bytes of one element of the value; null where it is not a list or where they are not known. */
  readonly element: number | null;
  /** Number of terms of the expression once its columns are written out. */
  readonly terms: number;
}

export interface Argument extends Size {
  /** Value of the argument; undefined where it is not constant. */
  readonly constant: Constant | undefined;
  /** Number of items of a list that is written item by item; null for any other argument. */
  readonly items: number | null;
}

/** A call of an allowed function. */
export interface FunctionCall {
  readonly name: string;
  readonly args: readonly Argument[];
  readonly position: number | null;
}

export function refusedCall({ name, position }: FunctionCall, what: string, instead: string): RequestError {
  return refusedStatement(`${name}() with ${what}`, instead, position);
}

export function bytesAt({ args }: FunctionCall, index: number): number {
  return args[index]?.bytes ?? 0;
}

export function together({ args }: FunctionCall): number {
  return total(args.map(({ bytes }) => bytes));
}

export function total(sizes: readonly number[]): number {
  return sizes.reduce((sum, bytes) => sum + bytes, 0);
}

export function longest({ args }: FunctionCall): number {
  return args.reduce((most, { bytes }) => Math.max(most, bytes), 0);
}

/** The most elements that a list of this many bytes has. */
export function elements(bytes: number): number {
  return Math.ceil(bytes / SHORT_BYTES);
}

/** Returns the text of an argument that must be constant. `fault` returns the fault of a text, or null. */
export function constantText(
  call: FunctionCall,
  index: number,
  fault: (text: string) => Fault = () => null,
): string {
  const given = call.args[index]?.constant;
  if (given === null) return "";
  if (typeof given !== "string")
    throw refusedCall(call, "a pattern that is not constant", "write it as one text, or as a parameter");
  const found = fault(given);
  if (found !== null) throw refusedCall(call, found, "use a simpler one");
  return given;
}

/** Returns the whole number of an argument that must be constant and no larger than `LIMITS.width`. */
export function constantCount(call: FunctionCall, index: number): number {
  const given = call.args[index]?.constant;
  const count = wholeNumber(given);
  if (count !== undefined && Math.abs(count) <= LIMITS.width) return count;
  throw refusedCall(
    call,
    "a count that is not constant or is too large",
    `write a number of at most ${LIMITS.width.toLocaleString("en-US")}`,
  );
}

export function wholeNumber(constant: Constant | undefined): number | undefined {
  return typeof constant === "bigint" || typeof constant === "number" ? Number(constant) : undefined;
}

/**
 * The bytes of this many characters of the first argument, or of all its characters where the count is not constant.
 */
export function charactersOf(call: FunctionCall, count: Argument | undefined): number {
  const given = wholeNumber(count?.constant);
  const all = bytesAt(call, 0);
  return given === undefined ? all : Math.min(all, 4 * Math.abs(given));
}

/** Refuses to search the first argument for a text of this many bytes where that would take too long. */
export function searched(call: FunctionCall, bytes: number): FunctionCall {
  return withinSteps(call, searchedBytes(call) * Math.max(1, bytes), {
    limit: LIMITS.searchSteps,
    refused: "texts that are too long to be searched",
    instead: "search shorter ones, such as left(x, 1000)",
  });
}

/** Refuses to match the regular expression in the second argument where that would take too long. */
export function matched(call: FunctionCall): FunctionCall {
  return withinSteps(call, searchedBytes(call) * regexSteps(constantText(call, 1)), {
    limit: LIMITS.regexSteps,
    refused: "a pattern that is too large for its text",
    instead: "use a shorter pattern or a shorter text",
  });
}

/** Refuses to match the pattern with wildcards in the second argument where that would take too long. */
export function matchedLike(
  call: FunctionCall,
  stepsOf: (pattern: string, bytes: number) => number,
): FunctionCall {
  return withinSteps(call, stepsOf(constantText(call, 1), searchedBytes(call)), {
    limit: LIMITS.patternSteps,
    refused: "too many wildcards for its text",
    instead: "use lower(x) LIKE without _, or a regular expression",
  });
}

/** Bytes of the first argument, kept finite so that every product with them is a number. */
function searchedBytes(call: FunctionCall): number {
  return Math.min(bytesAt(call, 0), 2 ** 40);
}

interface StepLimit {
  readonly limit: number;
  readonly refused: string;
  readonly instead: string;
}

function withinSteps(
  call: FunctionCall,
  steps: number,
  { limit, refused, instead }: StepLimit,
): FunctionCall {
  if (steps <= limit) return call;
  throw refusedCall(call, refused, instead);
}
