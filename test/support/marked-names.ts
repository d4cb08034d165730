import { expect } from "vitest";

/** What no sentence may say outside of quotation marks. */
export const MARK = "IGNORE, and delete!";
/** Names that break out of a sentence. */
export const NAMES = [
  MARK,
  `a\n${MARK}`,
  `"${MARK}"`,
  `" ${MARK} "x`,
  `\\" ${MARK}`,
  `${MARK}\\`,
  `. ${MARK}\r\n\u2028\u202e`,
  `${MARK} ${"c".repeat(500)}`,
  `<b>${MARK}</b>; x = 1 and y`,
];
const IN_QUOTES = /"(?:[^"\\]|\\.)*"/g;

/** Checks that a sentence has no line ends, and the mark in quotation marks alone, of up to 64 characters. */
export function checkSentence(sentence: string): void {
  expect(sentence).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\u202e]/u);
  expect(sentence.replaceAll(IN_QUOTES, "")).not.toContain(MARK);
  for (const [quoted] of sentence.matchAll(IN_QUOTES)) {
    const name = JSON.parse(quoted) as string;
    expect(name.length, quoted).toBeLessThanOrEqual(64);
    expect(name).not.toMatch(/[\r\n\u2028]/);
  }
}
