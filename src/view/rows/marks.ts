import { ownItems } from "./own-items.ts";

/** A piece of a text; `marked` where the other text does not have it. */
export interface Part {
  readonly text: string;
  readonly marked: boolean;
}

/** A text without marks. */
export function plain(text: string): readonly Part[] {
  return [{ text, marked: false }];
}

/** Two texts with what each has alone. */
export interface Marks {
  readonly left: readonly Part[];
  readonly right: readonly Part[];
}

export const LONGEST_MARKED = 60_000;
/** Beyond so many edits texts are not compared: the time grows with the square. */
const MOST_EDITS = 1000;

/**
 * Marks what two texts do not share: words where at least half is common, else sentences. Null where one is too long.
 */
export function marksOf(left: string, right: string): Marks | null {
  if (Math.max(left.length, right.length) > LONGEST_MARKED) return null;
  return byWords(left, right) ?? bySentences(left, right);
}

/** One text with what is marked in any of these. */
export function markedInAny(texts: readonly (readonly Part[])[]): readonly Part[] {
  const [one = []] = texts;
  if (texts.length < 2) return one;
  const whole = one.map(({ text }) => text).join("");
  const marks = new Uint8Array(whole.length);
  for (const parts of texts) {
    let at = 0;
    for (const { text, marked } of parts) {
      if (marked) marks.fill(1, at, at + text.length);
      at += text.length;
    }
  }
  const merged: Part[] = [];
  for (let at = 0, end = 0; at < whole.length; at = end) {
    end = marks.indexOf(1 - (marks[at] ?? 0), at);
    if (end === -1) end = whole.length;
    merged.push({ text: whole.slice(at, end), marked: marks[at] === 1 });
  }
  return merged;
}

function byWords(left: string, right: string): Marks | null {
  const [a, b] = [wordsOf(left), wordsOf(right)];
  if (!isHalf(sharedLength(a, b), left, right)) return null;
  const marks = compared(a, b);
  if (marks === null) return null;
  const common = marks.left.reduce((sum, part) => sum + (part.marked ? 0 : part.text.length), 0);
  return isHalf(common, left, right) ? marks : null;
}

function bySentences(left: string, right: string): Marks {
  const [a, b] = [sentencesOf(left), sentencesOf(right)];
  return (
    compared(a, b) ?? {
      left: [{ text: left, marked: true }],
      right: [{ text: right, marked: true }],
    }
  );
}

function isHalf(common: number, left: string, right: string): boolean {
  return 4 * common >= left.length + right.length;
}

/** How long the words are that both have, in whatever order: no less than what is common in order. */
function sharedLength(a: readonly string[], b: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const word of a) counts.set(word, (counts.get(word) ?? 0) + 1);
  let shared = 0;
  for (const word of b) {
    const left = counts.get(word) ?? 0;
    if (left === 0) continue;
    counts.set(word, left - 1);
    shared += word.length;
  }
  return shared;
}

function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{M}\p{N}_]+|\s+|[^\p{L}\p{M}\p{N}_\s]/gu) ?? [];
}

function sentencesOf(text: string): string[] {
  return text.split(/(?<=[.!?。！？]\s|\n)/u).filter((sentence) => sentence !== "");
}

function compared(a: readonly string[], b: readonly string[]): Marks | null {
  const own = ownItems(a, b, MOST_EDITS);
  return own === null ? null : { left: partsOf(a, own.left), right: partsOf(b, own.right) };
}

function partsOf(items: readonly string[], own: Uint8Array): Part[] {
  const parts: Part[] = [];
  for (const [i, text] of items.entries()) {
    const marked = own[i] === 1;
    const last = parts.at(-1);
    if (last?.marked === marked) parts[parts.length - 1] = { text: last.text + text, marked };
    else parts.push({ text, marked });
  }
  return parts;
}
