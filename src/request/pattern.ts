import { z } from "zod";

/** The most characters of a pattern, both as sent and with its counted repeats written out. */
const MAX_CHARACTERS = 1000;

/** A class of Unicode properties counts as this many characters more: it becomes some hundred ranges of bytes. */
const PROPERTY_CHARACTERS = 50;
/**
 * A wildcard or class counts as this many characters: matching takes time in proportion to how many of them may be in the
 * middle of a match, for each byte of the text, and cannot be interrupted within a chunk of records. 200 of them took
 * 1.2 s for 450 kB (two cores, 2026-11-22).
 */
const CLASS_CHARACTERS = 5;

const TOKEN =
  /\\Q[^]*?(?:\\E|$)|\\x\{[^}]*\}|\\[pP](?:\{[^}]*\}|[^])|\\[^]|\[\^?\]?(?:\[:\^?\w+:\]|\\[^]|[^\]\\])*\]|\{(\d+)(?:,(\d*))?\}|[^]/gu;

/** A regular expression in the syntax of RE2. Only its size is checked here; `checkPatterns` has DuckDB compile it. */
export const pattern = z
  .string()
  .max(MAX_CHARACTERS)
  .refine((text) => text.length > MAX_CHARACTERS || writtenOut(text) <= MAX_CHARACTERS, {
    message: `is too large: once repeats are written out (a{3} as aaa), a pattern may have at most ${MAX_CHARACTERS} characters, where a wildcard or class counts as ${CLASS_CHARACTERS} and each \\p as ${PROPERTY_CHARACTERS} more`,
  });

function sizeOf(token: string): number {
  const properties = token.match(/\\[pP]/g)?.length ?? 0;
  const isClass = /^(?:\.|\[[^]+\]|\\[dDsSwWpPC])/u.test(token);
  return (
    (isClass ? Math.max(CLASS_CHARACTERS, token.length) : token.length) + PROPERTY_CHARACTERS * properties
  );
}

/** No less than the characters of the pattern with counted repeats written out; RE2's program grows with them. */
function writtenOut(text: string): number {
  const outer: number[] = [];
  let size = 0;
  let last = 0;
  for (const { 0: token, 1: least, 2: most } of text.matchAll(TOKEN)) {
    if (token === "(") {
      outer.push(size);
      size = 0;
      last = 1;
    } else if (least !== undefined) {
      size += last * (Math.max(1, Number(least), Number(most ?? 0)) - 1);
      last = 0;
      continue;
    } else if (token === ")") {
      last = size + 1;
      size = outer.pop() ?? 0;
    } else {
      last = sizeOf(token);
    }
    size += last;
  }
  return outer.reduce((sum, one) => sum + one, size);
}
