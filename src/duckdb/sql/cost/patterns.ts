import { LIMITS } from "./limits.ts";

/** The fault of a pattern with which a statement searches or writes text; null where there is none. */
export type Fault = string | null;

/**
 * Steps to match a pattern where DuckDB tries each wildcard at every position of the text, and the next one from
 * there.
 */
export function wildcardSteps(pattern: string, bytes: number): number {
  const wildcards = pattern.match(/[%*]+(?!$)/g)?.length ?? 0;
  return Math.max(1, bytes) ** Math.max(1, wildcards);
}

/** Steps of `LIKE`. Without `_` the texts between the wildcards are searched one after another. */
export function likeSteps(pattern: string, bytes: number): number {
  return pattern.includes("_") ? wildcardSteps(pattern, bytes) : bytes * pattern.length;
}

/** Number of states of a regular expression: its length, where a repeated part counts as often as it may repeat. */
export function regexSteps(pattern: string): number {
  let atoms = pattern.length;
  let groups = 1;
  for (const { 1: least, 2: most, index } of pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)) {
    const count = Math.max(1, Number(least), Number(most ?? 0));
    if (pattern[index - 1] === ")") groups *= count;
    else atoms += count;
  }
  return atoms * groups;
}

/** Checks a pattern of `format` or `printf`, where each placeholder may be as wide as its number says. */
export function formatFault(pattern: string): Fault {
  if (/\{[^}]*\{|%[^a-zA-Z%]*\*/.test(pattern.replaceAll("{{", "")))
    return "a pattern with widths that are not constant";
  return widestNumber(pattern) > LIMITS.width ? `a pattern with widths beyond ${LIMITS.width}` : null;
}

/** Bytes that such a pattern writes when no argument is longer than `longest`. */
export function formattedBytes(pattern: string, longest: number): number {
  const placeholders = pattern.match(/[{%]/g)?.length ?? 0;
  // A double has up to 309 digits before its decimal point.
  return pattern.length + placeholders * (longest + 4 * widestNumber(pattern) + 310);
}

function widestNumber(pattern: string): number {
  return Math.max(0, ...(pattern.match(/\d+/g) ?? []).map(Number));
}

/** The most bytes of a text after its matches are replaced. */
export function replacedBytes(bytes: number, replacement: string): number {
  const references = replacement.match(/\\\d/g)?.length ?? 0;
  return bytes * (1 + references) + (bytes + 1) * replacement.length;
}
