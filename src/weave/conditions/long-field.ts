import { isJsonObject, type Json, writeJson } from "../../model/json.ts";
import { stubsIn } from "../../model/text-stubs.ts";
import { valueAt } from "./operands.ts";

/** Thrown where a value is asked for that nobody knows before a long text is read. */
export class LongField extends Error {
  /** Whether it is known that there is a value. */
  readonly isThere: boolean;

  constructor(isThere: boolean) {
    super("a long text has to be read");
    this.isThere = isThere;
  }
}

/** A value in which stubs may stand instead of long texts. */
export interface StubbedValue {
  readonly value: Json;
  /** What the stubs begin with; null where there are none. */
  readonly mark: string | null;
  /** The long texts that were read, by stub; `value`: what they say, where that was asked for. */
  readonly known: Map<string, { readonly text: string; readonly value?: Json }>;
  /** Stubs of the long texts that were asked for and are not known, or of which the value is not. */
  readonly met: Set<string>;
}

/** {@link valueAt} with what long texts say. Throws `LongField` where one is not known. */
export function wholeValueAt(from: StubbedValue, path: readonly string[]): Json {
  let at = from.value;
  for (const segment of path) at = valueAt(typeof at === "string" ? filled(from, at, false) : at, [segment]);
  return filled(from, at, true);
}

function filled({ mark, known, met }: StubbedValue, value: Json, isThere: boolean): Json {
  if (mark === null) return value;
  let isKnown = true;
  const fill = (one: Json): Json => {
    if (typeof one === "string" && one.startsWith(mark)) {
      const said = known.get(one)?.value;
      if (said !== undefined) return said;
      met.add(one);
      isKnown = false;
      return null;
    }
    if (Array.isArray(one)) return (one as readonly Json[]).map(fill);
    if (!isJsonObject(one)) return one;
    return Object.fromEntries(Object.entries(one).map(([name, member]) => [name, fill(member)]));
  };
  const whole = fill(value);
  if (!isKnown) throw new LongField(isThere);
  return whole;
}

/** Characters that JSON rarely writes as escapes; some of them are in no number. */
const PLAIN = /^[\w .-]+$/;
const OUTSIDE_NUMBERS = /[A-DF-Za-df-z_ ]/;
const ESCAPED = /\\u00[0-7]/;

/**
 * Whether the text of what is at a path surely lacks a part, because its long texts lack it as they were sent: these
 * are then not parsed. Throws `LongField` where one is not known.
 */
export function textLacks(
  { value, mark, known, met }: StubbedValue,
  path: readonly string[],
  part: string,
  folds: boolean,
): boolean {
  if (mark === null || !PLAIN.test(part) || !OUTSIDE_NUMBERS.test(part)) return false;
  const short = writeJson(valueAt(value, path));
  const stubs = stubsIn(mark, short).map(({ start, end }) => short.slice(start + 1, end - 1));
  const unknown = stubs.filter((stub) => !known.has(stub));
  for (const stub of unknown) met.add(stub);
  if (unknown.length > 0) throw new LongField(true);
  const sought = folds ? part.toLowerCase() : part;
  const isLacking = (text: string) => {
    if ((folds ? text.toLowerCase() : text).includes(sought)) return false;
    // In lower case, other characters may become plain ones.
    return !text.includes("\\u") || !(folds || ESCAPED.test(text));
  };
  return stubs.length > 0 && [short, ...stubs.map((stub) => known.get(stub)?.text ?? "")].every(isLacking);
}
