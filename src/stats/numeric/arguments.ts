import { EvalcubeError } from "../../errors.ts";

/** Throws `invalid_argument` for wrong use of a function; a quantity that does not exist is `null` instead. */
export function check(condition: boolean, requirement: string): asserts condition {
  if (!condition) throw new EvalcubeError("invalid_argument", `expected ${requirement}`);
}

/** The error after an exhaustive switch over the choices of an option, which only untyped callers reach. */
export function unknownChoice(name: string, value: never): EvalcubeError {
  const given: unknown = value;
  const shown = typeof given === "string" ? JSON.stringify(given) : `a value of type ${typeof given}`;
  return new EvalcubeError("invalid_argument", `unknown ${name}: ${shown}`);
}

/** Requires an array, since JavaScript callers may pass anything. */
export function checkList(name: string, value: readonly unknown[]): void {
  check(Array.isArray(value), `${name} to be an array`);
}

/** Requires a list of lists. */
export function checkRows(name: string, table: readonly (readonly unknown[])[]): void {
  checkList(name, table);
  for (const row of table) checkList(`every row of ${name}`, row);
}

export function checkObject(name: string, value: object | undefined): void {
  check(typeof value === "object" && value !== null, `${name} to be an object`);
}

export function checkFinite(name: string, values: readonly number[]): void {
  checkList(name, values);
  check(values.every(Number.isFinite), `finite numbers in ${name}`);
}

/** Requires a number; infinities are allowed, NaN is not. */
export function checkNumber(name: string, value: number): void {
  check(typeof value === "number" && !Number.isNaN(value), `${name} to be a number`);
}

export function checkCount(name: string, value: number, least = 0): void {
  check(Number.isSafeInteger(value) && value >= least, `${name} to be a whole number of at least ${least}`);
}

/** Requires a finite number of at least 0; with `open`, 0 is excluded. */
export function checkAmount(name: string, value: number, open = false): void {
  checkNumber(name, value);
  const inside = (open ? value > 0 : value >= 0) && value < Infinity;
  check(inside, `${name} to be finite and ${open ? "above 0" : "at least 0"}, not ${value}`);
}

/** Requires a probability; with `open`, 0 and 1 are excluded. */
export function checkProbability(name: string, value: number, open = false): void {
  checkNumber(name, value);
  const inside = open ? value > 0 && value < 1 : value >= 0 && value <= 1;
  check(inside, `${name} ${open ? "between 0 and 1, both excluded" : "from 0 to 1"}, not ${value}`);
}

export function checkSameLength(names: string, a: readonly unknown[], b: readonly unknown[]): void {
  checkList(names, a);
  checkList(names, b);
  check(a.length === b.length, `${names} to be of one length, not ${a.length} and ${b.length}`);
}
