import stringWidth from "string-width";
import { grouped } from "../model/grouped.ts";
import { isPlain } from "../model/plain-line.ts";

/** The cells that a text takes on a terminal: wide characters and emoji take two, escape codes none. */
export function textWidth(text: string): number {
  return isPlain(text) ? text.length : stringWidth(text.replaceAll(MARKS, ""));
}

/** Marks stand above or below another character. The two that make an emoji of it are left in place. */
const MARKS = /(?![\uFE0F\u20E3])[\p{Mn}\p{Me}]/gu;

/** Cuts a text that is wider than `width` cells, and ends it in `…`. No character is cut in two. */
export function shortenedText(text: string, width: number): string {
  return fits(text, width) ? text : `${startOf(text, width - 1)}…`;
}

/** Whether a text takes at most so many cells; the rest of a long one is not read. */
function fits(text: string, width: number): boolean {
  // No UTF-16 unit takes more than two cells.
  if (text.length * 2 <= width) return true;
  return text.length <= width * LONGEST_CHARACTER && textWidth(text) <= width;
}

/** The first characters of a text that take at most so many cells; a text cut early loses its last ones. */
function startOf(text: string, width: number): string {
  if (width <= 0) return "";
  // A character takes one cell at least, apart from marks, so that the rest of a long text need not be read.
  const near = text.slice(0, (width + 1) * LONGEST_CHARACTER);
  return isPlain(near) ? near.slice(0, width) : taken(charactersOf(near), width).join("");
}

/** The last characters of a text that take at most so many cells. */
function endOf(text: string, width: number): string {
  if (width <= 0) return "";
  const near = text.slice(-(width + 1) * LONGEST_CHARACTER);
  if (isPlain(near)) return near.slice(-width);
  return taken(charactersOf(near).toReversed(), width).toReversed().join("");
}

function taken(characters: readonly string[], width: number): readonly string[] {
  let cells = 0;
  const over = characters.findIndex((one) => (cells += textWidth(one)) > width);
  return over === -1 ? characters : characters.slice(0, over);
}

function charactersOf(text: string): string[] {
  // Node reads the rules of characters when it makes the first segmenter, which takes 20 ms.
  const characters = new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return Array.from(characters.segment(text), ({ segment }) => segment);
}

/** What tells a label from others of its name, at its end: ` (12:04)`; empty where nothing does. */
export function labelMark(label: string): string {
  return / \([^()]{1,22}\)$/.exec(label)?.[0] ?? "";
}

/** Cuts a label that is wider than `width` cells in the middle of its name, before its mark. */
function shortenedLabel(label: string, width: number): string {
  if (fits(label, width)) return label;
  const mark = labelMark(label);
  const room = width - textWidth(mark);
  if (room < LEAST_NAME && mark !== "") return shortenedText(label, width);
  return cutMiddle(label.slice(0, label.length - mark.length), room) + mark;
}

/** Cells of a name before its mark. */
const LEAST_NAME = 3;

/** Names that begin alike differ at their end, so most of what is kept is that. */
function cutMiddle(name: string, room: number): string {
  const start = Math.floor((room - 1) / 3);
  return `${startOf(name, start)}…${endOf(name, room - 1 - start)}`;
}

/** Labels by their text, each of at most `width` cells; as far as there is room no two look alike. */
export function shortenedLabels(texts: Iterable<string>, width: number): ReadonlyMap<string, string> {
  const short = new Map(Array.from(texts, (text) => [text, shortenedLabel(text, width)]));
  const alike = () =>
    [...grouped(short.keys(), (text) => short.get(text)).values()].filter(({ length }) => length > 1);
  for (const same of alike()) for (const text of same) short.set(text, cutAround(text, same, width));
  for (const same of alike())
    for (const [i, text] of same.entries()) {
      const number = `…${i + 1}`;
      short.set(text, `${startOf(text, width - number.length)}${number}`);
    }
  return short;
}

/** How a label begins, and what is from the first character on that differs. */
function cutAround(label: string, others: readonly string[], width: number): string {
  const mark = labelMark(label);
  const room = width - textWidth(mark);
  const start = startOf(label, Math.floor(room / 4));
  const common = commonStart(others);
  const splits = /[\udc00-\udfff]/.test(label[common] ?? "");
  const rest = label.slice(Math.max(start.length, splits ? common - 1 : common), label.length - mark.length);
  return `${start}…${shortenedText(rest, room - 1 - textWidth(start))}${mark}`;
}

function commonStart([first = "", ...others]: readonly string[]): number {
  let length = first.length;
  for (const other of others) while (!other.startsWith(first.slice(0, length))) length--;
  return length;
}

/** UTF-16 units of a family of emoji with marks; texts of longer characters are cut early. */
const LONGEST_CHARACTER = 32;

/**
 * Breaks a text into lines of at most `width` cells, at blanks where words allow it; what begins with blanks goes on
 * behind them.
 */
export function wrapped(text: string, width: number): string[] {
  if (fits(text, width)) return [text];
  const margin = startOf(/^ */.exec(text)?.[0] ?? "", Math.floor(width / 2));
  const room = Math.max(1, width - margin.length - INDENT.length);
  const lines: string[] = [];
  for (const word of text
    .trimStart()
    .split(" ")
    .flatMap((one) => piecesOf(one, room))) {
    const last = lines.at(-1);
    if (last !== undefined && fits(`${last} ${word}`, width)) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(margin + (last === undefined ? "" : INDENT) + word);
  }
  return lines;
}

const INDENT = "  ";

/** A word in parts of at most so many cells, of one character at least. */
function piecesOf(word: string, room: number): string[] {
  if (fits(word, room)) return [word];
  const pieces: string[] = [];
  let [piece, cells] = ["", 0];
  for (const one of charactersOf(word)) {
    const own = textWidth(one);
    if (cells + own > room && piece !== "") {
      pieces.push(piece);
      [piece, cells] = ["", 0];
    }
    piece += one;
    cells += own;
  }
  return [...pieces, piece];
}
