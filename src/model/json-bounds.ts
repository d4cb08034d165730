import { closingQuote, COLON, COMMA, QUOTE, skipBlanks } from "./read-json.ts";

const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;

/** What a JSON text may have before anything is built from it. */
export interface JsonBounds {
  /** Levels of objects and lists. */
  readonly depth: number;
  /** Values; each member of an object beyond its first 1,000 counts as ten, as it takes ten times as long to read. */
  readonly values: number;
  /** UTF-8 bytes of the whole text; any number where it is missing. */
  readonly bytes?: number;
}

/**
 * How many values one JSON value of a request may have, where nobody says otherwise: to read so many takes a tenth of a
 * second.
 */
export const MOST_VALUES = 200_000;
export const WIDE_OBJECT = 1000;
export const WIDE_MEMBER = 10;
/** How many bytes one JSON value of a request may have, where nobody says otherwise. */
export const MOST_BYTES = 32 * 1024 * 1024;
/** Characters of a name: longer ones have no hash in V8, so that to read 1,000 of them takes seconds. */
const LONGEST_NAME = 10_000;
/** Digits in a row: to read a number of a million takes seconds. */
const MOST_DIGITS = 10_000;
/** Characters outside of texts that a value may have, on average. */
export const OUTSIDE_OF_TEXTS = 40;

/** A bound that a text exceeds. */
interface BoundFault {
  readonly bound: "bytes" | "depth" | "values" | "names" | "digits" | "outside";
  readonly msg: string;
}

/** The first bound that a JSON text exceeds; null where it exceeds none, undefined for a text that is not JSON. */
export function boundFault(text: string, bounds: JsonBounds): BoundFault | null {
  const { bytes = Infinity } = bounds;
  if (text.length > bytes || (3 * text.length > bytes && Buffer.byteLength(text) > bytes))
    return fault("bytes", `must have at most ${bytes} bytes, which the option limits.item (--max-item) sets`);
  const mostOutside = OUTSIDE_OF_TEXTS * bounds.values;
  let [depth, values, digits, outside, strings] = [0, 1, 0, 0, 0];
  /** Members so far of each open object. Items of lists count as values. */
  const members: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (++outside > mostOutside) return fault("outside", tooMany(mostOutside, "characters outside of texts"));
    if (code >= DIGIT_0 && code <= DIGIT_9) {
      if (++digits > MOST_DIGITS)
        return fault("digits", `must have numbers of at most ${MOST_DIGITS} digits`);
      continue;
    }
    digits = 0;
    if (code === QUOTE) {
      const end = closingQuote(text, at);
      if (end === -1) return null;
      if (isLongName(text, at, end))
        return fault("names", `must have names of at most ${LONGEST_NAME} characters`);
      at = end;
      // Names and values; more of them have no commas in between.
      if (++strings > 2 * bounds.values) return fault("values", tooMany(bounds.values, "values"));
    } else if (code === COMMA) {
      const before = members[depth] ?? 0;
      members[depth] = before + 1;
      values += before > WIDE_OBJECT ? WIDE_MEMBER : 1;
    } else if (code === 0x7b || code === 0x5b) {
      values++;
      members[++depth] = code === 0x7b ? 0 : -Infinity;
      if (depth > bounds.depth) return fault("depth", `must be nested at most ${bounds.depth} levels deep`);
    } else if (code === 0x7d || code === 0x5d) depth--;
    if (values > bounds.values) return fault("values", tooMany(bounds.values, "values"));
  }
  return null;
}

function isLongName(text: string, from: number, end: number): boolean {
  return end - from > LONGEST_NAME && text.charCodeAt(skipBlanks(text, end + 1)) === COLON;
}

/** Whether a JSON text nests deeper than `max`; undefined for a text that is not JSON. */
export function isDeeper(text: string, max: number): boolean {
  return boundFault(text, { depth: max, values: Infinity })?.bound === "depth";
}

function fault(bound: BoundFault["bound"], msg: string): BoundFault {
  return { bound, msg };
}

function tooMany(most: number, what: string): string {
  return `must have at most ${most} ${what}, which the option limits.values (--max-values) sets`;
}
