import stringWidth from "string-width";
import { isPlain } from "../model/plain-line.ts";

/** The cells that a text takes on a terminal: wide characters and emoji take two, escape codes none. */
export function textWidth(text: string): number {
  return isPlain(text) ? text.length : stringWidth(text.replaceAll(MARKS, ""));
}

/** Marks stand above or below another character. The two that make an emoji of it are left in place. */
const MARKS = /(?![\uFE0F\u20E3])[\p{Mn}\p{Me}]/gu;

/** Cuts a text that is wider than `width` cells, and ends it in `…`. No character is cut in two. */
export function shortenedText(text: string, width: number): string {
  // No UTF-16 unit takes more than two cells.
  if (text.length * 2 <= width || (text.length <= width && textWidth(text) <= width)) return text;
  // A character takes one cell at least, apart from marks, so that the rest of a long text need not be read.
  const near = text.length > width * LONGEST_CHARACTER ? text.slice(0, width * LONGEST_CHARACTER) : text;
  if (near.length === text.length && textWidth(text) <= width) return text;
  if (isPlain(near)) return `${near.slice(0, width - 1)}…`;
  let kept = "";
  let cells = 0;
  // Node reads the rules of characters when it makes the first segmenter, which takes 20 ms.
  const characters = new Intl.Segmenter(undefined, { granularity: "grapheme" });
  for (const { segment } of characters.segment(near)) {
    cells += textWidth(segment);
    if (cells > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** What tells a label from others of its name, at its end: ` (12:04)`; empty where nothing does. */
export function labelMark(label: string): string {
  return / \([^()]{1,22}\)$/.exec(label)?.[0] ?? "";
}

/** As {@link shortenedText}, before the mark of a label. */
export function shortenedLabel(label: string, width: number): string {
  const mark = labelMark(label);
  const rest = width - textWidth(mark);
  if (mark === "" || rest < 1) return shortenedText(label, width);
  return shortenedText(label.slice(0, -mark.length), rest) + mark;
}

/** UTF-16 units of a family of emoji with marks; texts of longer characters are cut early. */
const LONGEST_CHARACTER = 32;

/**
 * Breaks a text at blanks into lines of at most `width` cells where words allow it; what begins with blanks goes on
 * behind them.
 */
export function wrapped(text: string, width: number): string[] {
  const margin = /^ */.exec(text)?.[0] ?? "";
  const lines: string[] = [];
  for (const word of text.trimStart().split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && textWidth(`${last} ${word}`) <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(margin + (last === undefined ? "" : "  ") + word);
  }
  return lines;
}
