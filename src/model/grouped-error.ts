/** How a text is changed: a pattern of RE2, and what stands instead of each of its matches. */
interface TextStep {
  readonly pattern: string;
  readonly by: string;
}

const UUID = String.raw`\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b`;
const HEXADECIMAL = String.raw`\b(?:0[xX][0-9a-fA-F]+|[0-9a-fA-F]{8,})\b`;
/** A number before a unit is no status. */
const MEASURED = String.raw`\b\d+(?:[.,]\d+)*(?:[eE][+-]?\d+)?( (?:ms|s|sec|seconds?|minutes?|tokens|bytes|characters)\b)`;
/** A status, a whole number from 400 to 599 that stands alone, is the group of its match. */
const NUMBER = String.raw`\d+(?:[.,]\d+)+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\b([45]\d\d)\b|\d+`;

/**
 * What makes one text of errors that differ in ids, times and counts alone, step by step. JavaScript and both databases
 * read the patterns alike. After the numbers, digits are left in statuses only.
 */
export const ERROR_STEPS: readonly TextStep[] = [
  { pattern: String.raw`^[ \t\r\n\f\v]+|[\r\n][\s\S]*$`, by: "" },
  { pattern: String.raw`[ \t\f\v]+`, by: " " },
  { pattern: `${UUID}|${HEXADECIMAL}`, by: "#" },
  { pattern: MEASURED, by: String.raw`#\1` },
  { pattern: NUMBER, by: String.raw`\1#` },
  { pattern: String.raw`(\d\d\d)#`, by: String.raw`\1` },
  { pattern: " $", by: "" },
];

/** Characters that a grouped text has at most. */
export const MOST_ERROR_CHARACTERS = 200;

/** The text of a failed call that has an exception without a letter. */
export const NO_MESSAGE = "no message";

/** The text by which an error is grouped with others; null for none: `Error: 429 after # ms`. */
export function groupedError(stated: string | null): string | null {
  if (stated === null) return null;
  const alike = ERROR_STEPS.reduce(
    (before, { pattern, by }) => before.replace(new RegExp(pattern, "g"), by.replace("\\", "$")),
    stated,
  );
  return Array.from(alike).slice(0, MOST_ERROR_CHARACTERS).join("") || NO_MESSAGE;
}
