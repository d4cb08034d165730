import { EvalcubeError } from "../errors.ts";

/** Wrong use of a function, as opposed to a quantity that does not exist (`null`). */
export function check(condition: boolean, requirement: string): asserts condition {
  if (!condition) throw new EvalcubeError("invalid_argument", `expected ${requirement}`);
}

/** What follows an exhaustive switch over the choices of an option: only untyped callers get there. */
export function unknownChoice(name: string, value: never): EvalcubeError {
  return new EvalcubeError("invalid_argument", `unknown ${name}: ${JSON.stringify(value)}`);
}

export function checkFinite(name: string, values: readonly number[]): void {
  check(values.every(Number.isFinite), `finite numbers in ${name}`);
}

export function checkCount(name: string, value: number, least = 0): void {
  check(Number.isSafeInteger(value) && value >= least, `${name} to be a whole number of at least ${least}`);
}

/** A probability; with `open`, neither 0 nor 1. */
export function checkProbability(name: string, value: number, open = false): void {
  const inside = open ? value > 0 && value < 1 : value >= 0 && value <= 1;
  check(inside, `${name} ${open ? "between 0 and 1, both excluded" : "from 0 to 1"}, not ${value}`);
}

export function checkSameLength(names: string, a: readonly unknown[], b: readonly unknown[]): void {
  check(a.length === b.length, `${names} to be of one length, not ${a.length} and ${b.length}`);
}
