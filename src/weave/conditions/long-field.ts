import { isJsonObject, type Json, writeJson } from "../../model/json.ts";
import { stringStart } from "../../model/read-json.ts";
import { stubsIn } from "../../model/text-stubs.ts";
import { readTextNumber } from "../../model/numbers.ts";
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

/** What is asked of a long text: the value that it is the JSON of, how it begins, whether it may have a part. */
export type Question = "value" | "beginning" | `part ${string}` | `folded ${string}`;

/** A value in which stubs may stand instead of long texts. */
export interface StubbedValue {
  readonly value: Json;
  /** What the stubs begin with; null where there are none. */
  readonly mark: string | null;
  /** What is known of long texts, by stub. */
  readonly known: Map<Question, Map<string, Json>>;
  /** Stubs of which something was asked that is not known. */
  readonly met: Map<Question, Set<string>>;
}

/** What is known of a long text; undefined where that has to be read, which is then noted. */
function told({ known, met }: StubbedValue, question: Question, stub: string): Json | undefined {
  const answer = known.get(question)?.get(stub);
  if (answer === undefined) met.set(question, (met.get(question) ?? new Set()).add(stub));
  return answer;
}

/** {@link valueAt} with what long texts say. Throws `LongField` where one is not known. */
export function wholeValueAt(from: StubbedValue, path: readonly string[]): Json {
  return filled(from, reached(from, path), true);
}

/** The same with stubs inside of what is at the path. */
function reached(from: StubbedValue, path: readonly string[]): Json {
  let at = from.value;
  for (const segment of path) at = valueAt(typeof at === "string" ? filled(from, at, false) : at, [segment]);
  return at;
}

function filled(from: StubbedValue, value: Json, isThere: boolean): Json {
  const { mark } = from;
  if (mark === null) return value;
  let isKnown = true;
  const fill = (one: Json): Json => {
    if (typeof one === "string" && one.startsWith(mark)) {
      const said = told(from, "value", one);
      isKnown &&= said !== undefined;
      return said ?? null;
    }
    if (Array.isArray(one)) return (one as readonly Json[]).map(fill);
    if (!isJsonObject(one)) return one;
    return Object.fromEntries(Object.entries(one).map(([name, member]) => [name, fill(member)]));
  };
  const whole = fill(value);
  if (!isKnown) throw new LongField(isThere);
  return whole;
}

/** Runs of characters that JSON rarely writes as escapes; some of them are in no number. */
const PLAIN = /[\w .-]+/g;
const OUTSIDE_NUMBERS = /[A-DF-Za-df-z_ ]/;

/**
 * Whether the text of what is at a path surely lacks a part, because its long texts lack the longest plain run of it as
 * they were sent: these are then not parsed. Throws `LongField` where that is not known.
 */
export function textLacks(
  from: StubbedValue,
  path: readonly string[],
  part: string,
  folds: boolean,
): boolean {
  const { mark, value } = from;
  if (mark === null) return false;
  const runs = (part.match(PLAIN) ?? []).filter((one) => OUTSIDE_NUMBERS.test(one));
  const run = runs.reduce((longest, one) => (one.length > longest.length ? one : longest), "");
  if (run === "") return false;
  const sought = folds ? run.toLowerCase() : run;
  const short = writeJson(valueAt(value, path));
  const stubs = stubsIn(mark, short);
  if (stubs.length === 0) return false;
  const question: Question = `${folds ? "folded" : "part"} ${sought}`;
  const answers = stubs.map(({ start, end }) => told(from, question, short.slice(start + 1, end - 1)));
  if (answers.includes(undefined)) throw new LongField(true);
  return !(folds ? short.toLowerCase() : short).includes(sought) && answers.every((has) => has === false);
}

/** Characters of a text, from its start, that orders look at. */
export const SORTED_CHARACTERS = 1000;

/**
 * How the text of what is at a path begins, with as much as orders look at, where long texts are strings that tell it;
 * null where only the whole value does. Throws `LongField` where the beginning of one is not known.
 */
export function beginningAt(from: StubbedValue, path: readonly string[]): string | null {
  const begins = beginningOf(from, reached(from, path));
  // A character of two halves is not cut.
  return begins?.slice(0, SORTED_CHARACTERS + 1).replace(/[\ud800-\udbff]$/, "") ?? null;
}

function beginningOf(from: StubbedValue, at: Json): string | null {
  const { mark } = from;
  if (mark === null || at === null) return null;
  if (typeof at === "string") {
    const begins = at.startsWith(mark) ? stringBeginning(from, at)?.value : undefined;
    const isEnough = begins !== undefined && begins.length >= SORTED_CHARACTERS && isNoNumber(begins);
    return isEnough ? begins : null;
  }
  const short = writeJson(at);
  let text = "";
  let end = 0;
  for (const stub of stubsIn(mark, short)) {
    text += short.slice(end, stub.start);
    if (text.length >= SORTED_CHARACTERS) return text;
    const begins = stringBeginning(from, short.slice(stub.start + 1, stub.end - 1));
    if (begins === null) return null;
    const spelled = writeJson(begins.value);
    text += begins.isWhole ? spelled : spelled.slice(0, -1);
    end = stub.end;
    if (text.length >= SORTED_CHARACTERS) return text;
  }
  return null;
}

function isNoNumber(begins: string): boolean {
  return /[^\d.e+-]/.test(begins) && readTextNumber(begins) === null;
}

/** How a long text that is a string begins, and whether that is all; null where it is no string. */
function stringBeginning(from: StubbedValue, stub: string): { value: string; isWhole: boolean } | null {
  const raw = told(from, "beginning", stub);
  if (raw === undefined) throw new LongField(true);
  return typeof raw === "string" ? stringStart(raw) : null;
}
