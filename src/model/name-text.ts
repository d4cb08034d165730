import { oneLine } from "./plain-line.ts";

const LONGEST = 64;
const PLAIN = /^[\p{L}\p{N}_. :/@+-]+$/u;
/** A text in quotes, as JSON writes it; of one that does not end, the group is empty. */
export const QUOTED = /"(?:[^"\\]|\\[^])*("|\\?$)/g;

/**
 * A name that somebody else wrote, as a sentence has it: bare where it has letters, digits, blanks and `_.:/@+-` alone
 * and up to `longest` characters, else in quotation marks, on one line and cut. A dot that a field escapes (`\.`)
 * counts as a dot.
 */
export function nameText(name: string, longest = LONGEST): string {
  return isPlainName(name, longest) ? name : quotedName(name, longest);
}

/** The same, always in quotation marks. */
export function quotedName(name: string, longest = LONGEST): string {
  if (isPlainName(name, longest)) return `"${name}"`;
  const line = oneLine(name.slice(0, 4 * longest));
  if (line.length <= longest && name.length <= 4 * longest) return JSON.stringify(line);
  const start = line.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, "");
  return JSON.stringify(`${start}…`);
}

/** A sentence in which each text in quotation marks is as {@link quotedName} writes it. */
export function withShortNames(sentence: string): string {
  return oneLine(sentence).replaceAll(QUOTED, (quoted: string, end: string) =>
    end === '"' ? quotedName(textOf(quoted)) : quoted,
  );
}

function textOf(quoted: string): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return quoted.slice(1, -1);
  }
}

function isPlainName(name: string, longest: number): boolean {
  return name.length <= longest && PLAIN.test(name.replaceAll(String.raw`\.`, "."));
}
