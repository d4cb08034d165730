/** Most texts are ASCII, Latin letters, dashes and ticks of one cell each; `string-width` is slow to look at each. */
export function isPlain(text: string): boolean {
  return /^[\x20-\x7E\xC0-\u02FF\u2010-\u2027✓✗]*$/.test(text);
}

/** Puts a blank where line ends and other control characters stand, and removes marks of direction. */
export function oneLine(text: string): string {
  if (isPlain(text)) return text;
  return text.replaceAll(DIRECTIONS, "").replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ");
}

/** A text without the characters of one kind that it ends with. */
export function withoutTrailing(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end--;
  return text.slice(0, end);
}

const DIRECTIONS = /[\u200B\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/g;
