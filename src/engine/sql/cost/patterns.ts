import { LIMITS } from "./limits.ts";

/** What patterns cost that a statement searches or writes text with. Each answers null where they are fine. */
export type Fault = string | null;

/** Steps to match a pattern where DuckDB tries each wildcard at every place of the text, and the next one from there. */
export function wildcardSteps(pattern: string, bytes: number): number {
  const wildcards = pattern.match(/[%*]+(?!$)/g)?.length ?? 0;
  return Math.max(1, bytes) ** Math.max(1, wildcards);
}

/** Without `_` the texts between the wildcards are looked for one after the other. */
export function likeSteps(pattern: string, bytes: number): number {
  return pattern.includes("_") ? wildcardSteps(pattern, bytes) : bytes * pattern.length;
}

/** States of a regular expression: its length, where what is repeated counts so many times. */
export function regexSteps(pattern: string): number {
  let atoms = pattern.length;
  let groups = 1;
  for (const { 1: least, 2: most, index } of pattern.matchAll(/\{(\d+),?(\d*)\}/g)) {
    const count = Math.max(1, Number(least), Number(most));
    if (pattern[index - 1] === ")") groups *= count;
    else atoms += count;
  }
  return atoms * groups;
}

/** `format` and `printf`: each placeholder may be as wide as its number says. */
export function formatFault(pattern: string): Fault {
  if (/\{[^}]*\{|%[^a-zA-Z%]*\*/.test(pattern.replaceAll("{{", "")))
    return "a pattern with widths that are not constant";
  return widestNumber(pattern) > LIMITS.width ? `a pattern with widths beyond ${LIMITS.width}` : null;
}

/** Bytes of what such a pattern writes, when no argument is longer than `longest`. */
export function formattedBytes(pattern: string, longest: number): number {
  const placeholders = pattern.match(/[{%]/g)?.length ?? 0;
  // A double has 309 digits before its point.
  return pattern.length + placeholders * (longest + 4 * widestNumber(pattern) + 310);
}

function widestNumber(pattern: string): number {
  return Math.max(0, ...(pattern.match(/\d+/g) ?? []).map(Number));
}

/** Bytes of a text whose matches are replaced. */
export function replacedBytes(bytes: number, replacement: string): number {
  const references = replacement.match(/\\\d/g)?.length ?? 0;
  return bytes * (1 + references) + (bytes + 1) * replacement.length;
}
