import { MEMBERS, namesOf, roleOf } from "./roles.ts";

/** A name of a column as guesses see it: lower case, `_` for what divides words. */
export function plainName(name: string): string {
  return name
    .trim()
    .replaceAll(/(?<=[a-z\d])(?=[A-Z][a-z])|(?<=[a-z\d]{2})(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})/g, "_")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "_")
    .replace(/(?<=.)_$/, "");
}

const RUNS = namesOf("runs", "trial");
const SETTINGS = namesOf("settings", "evaluation");
const SCORE_WORDS = namesOf("words", "score");
const SCORE_BEGINS = namesOf("begins", "score");
const NEVER = [...namesOf("never", ...MEMBERS), ...namesOf("names", "output", "expected"), ...SETTINGS];
const RARELY = namesOf("rarely", ...MEMBERS);

/** Whether a column is guessed to be a score: its name is one of these words, or has one of them. */
export function isScoreName(name: string): boolean {
  const plain = plainName(name);
  return (
    !isNoScore(name) &&
    (SCORE_BEGINS.some((begin) => plain.startsWith(begin)) ||
      SCORE_WORDS.some((word) => `_${plain}_`.includes(`_${word}_`)))
  );
}

/** Whether a column is named by what an answer is or is not: a number above 1 in it is no score. */
export function isTruthName(name: string): boolean {
  return /^(?!.*(\d|%|rate|ratio|pct|percent|score|mean|avg)).*(^|_)(correct|pass|passed|success|hit|win)(_|$)/.test(
    plainName(name) + (name.includes("%") ? "%" : ""),
  );
}

/** Whether a column is never guessed to be a score, whatever it holds. */
export function isNoScore(name: string): boolean {
  const plain = plainName(name);
  if (fitsOne(plain, NEVER)) return true;
  return fitsOne(plain, RARELY) && !endsAsScore(plain) && !/^(is|has)_/.test(plain);
}

/** Whether the name ends in a word of scores: `judge_reason` does not. */
export function endsAsScore(name: string): boolean {
  const plain = plainName(name);
  return (
    SCORE_WORDS.some((word) => `_${plain}`.endsWith(`_${word}`)) || /(^|_)(judge|rouge)[^_]*$/.test(plain)
  );
}

/** Whether a column is a setting of a run. */
export function isSetting(name: string): boolean {
  return fitsOne(plainName(name), SETTINGS);
}

/** Whether a column says which run a record is of: where the evaluation is named, each run has trials of its own. */
export function isRunName(name: string): boolean {
  return fitsOne(plainName(name), RUNS);
}

export type Measure = "latency" | "tokens" | "cost";

/** What the numbers of a column are multiplied with and divided by to be seconds, tokens or US dollars. */
export interface Unit {
  readonly times: number;
  readonly over: number;
  /** Another currency than US dollars, whose costs are left out. */
  readonly currency: string | null;
}

/** The unit of a column by its name, and by the `currencies` of its cells. */
export function unitOf(role: Measure, column: string, currencies: Iterable<string>): Unit {
  const { units, foreign } = roleOf(role);
  const end = lastWord(column);
  const [, times, over] = units?.find(([ends]) => ends.split(" ").includes(end)) ?? [null, 1, 1];
  if (foreign === undefined) return { times, over, currency: null };
  const named = foreign.split(" ").includes(end) ? end.toUpperCase() : null;
  return { times, over, currency: named ?? [...currencies].find((one) => one !== "USD") ?? null };
}

/** Empty where the name is one word. */
function lastWord(column: string): string {
  return /_([^_]*)$/.exec(plainName(column))?.[1] ?? "";
}

/** Columns that fit the first of these names that any column fits. */
export function firstFitting(columns: readonly string[], names: readonly string[]): string[] {
  for (const name of names) {
    const found = columns.filter((column) => fitsPattern(plainName(column), name));
    if (found.length > 0) return found;
  }
  return [];
}

/** Whether a text fits one of some patterns. */
export function fitsOne(text: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => fitsPattern(text, pattern));
}

/** Whether a text fits a pattern in which `*` stands for any characters. */
export function fitsPattern(text: string, pattern: string): boolean {
  const [begin = "", ...rest] = pattern.split("*");
  if (rest.length === 0) return text === pattern;
  if (!text.startsWith(begin)) return false;
  let at = begin.length;
  const end = rest.pop() ?? "";
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - end.length >= at && text.endsWith(end);
}
