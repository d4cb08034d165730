/** Most texts are ASCII, Latin letters, dashes and ticks of one cell each; `string-width` is slow to look at each. */
export function isPlain(text: string): boolean {
  return /^[\x20-\x7E\xC0-\u02FF\u2010-\u2027✓✗]*$/.test(text);
}

/** Puts a blank where line ends and other control characters stand, and removes marks of direction. */
export function oneLine(text: string): string {
  if (isPlain(text)) return text;
  return text.replaceAll(DIRECTIONS, "").replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ");
}

const DIRECTIONS = /[\u200B\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/g;
