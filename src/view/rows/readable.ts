import { cutText } from "../../words/cut-text.ts";
import { chatOf, structureIn, type Chat } from "../../model/chat.ts";
import { isJsonObject, writeJson, type Json, type JsonObject } from "../../model/json.ts";

const MOST_MEMBERS = 40;
const DEEPEST = 8;
const LONGEST_NAME = 300;
/** Texts up to this length stand beside their name. */
const LONGEST_BESIDE = 100;

/** A value as people read it, and as it is stored. */
export interface Readable {
  /** The last text of the assistant, if it is a chat. */
  readonly text: string;
  /** Null where the text is what is stored. */
  readonly stored: string | null;
  /** The output itself, if it is a chat. */
  readonly chat?: Chat;
}

/** Objects, and texts that are JSON, as names and values with real line breaks; `exact`: numbers with all digits. */
export function readable(value: Json, exact = false): Readable {
  const stored = typeof value === "string" ? value : writeJson(value);
  const structure = typeof value === "string" ? structureIn(value) : value;
  const text = lineBreaks(typeof structure === "string" ? structure : textOf(structure, 0, exact));
  return { text, stored: text === stored ? null : stored };
}

/** The same of an output, which may be a chat; `isCut`: the output is the start of one. */
export function readableOutput(output: Json, exact = false, isCut = false): Readable {
  const value = typeof output === "string" ? structureIn(output) : output;
  const chat = chatOf(value) ?? (isCut ? chatOf(withoutLast(value)) : null);
  if (chat === null) return readable(output, exact);
  const stored = typeof output === "string" ? output : writeJson(output);
  return { text: lineBreaks(chat.last ?? ""), stored, chat };
}

/** A list, or the lists in an object, without the last item, of which only some members may be there. */
function withoutLast(value: Json): Json {
  if (Array.isArray(value)) return value.slice(0, -1) as readonly Json[];
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).map(([name, member]) => [
    name,
    Array.isArray(member) ? withoutLast(member) : member,
  ]);
  return Object.fromEntries(members) as JsonObject;
}

/**
 * Outputs side by side, of some the start alone (`cut`); where only digits that are not shown tell two apart, all
 * digits are.
 */
export function readableOutputs(
  outputs: readonly (Json | undefined)[],
  cut: readonly boolean[] = [],
): (Readable | null)[] {
  const read = (exact: boolean) =>
    outputs.map((output, i) => (output === undefined ? null : readableOutput(output, exact, cut[i])));
  const short = read(false);
  const [first, ...others] = short;
  const looksAlike = others.some(
    (one) =>
      one !== null && one.text === first?.text && (one.stored ?? one.text) !== (first.stored ?? first.text),
  );
  return looksAlike ? read(true) : short;
}

/** A number with four significant digits, and no fewer than its whole part has. */
export function shortNumber(value: number): string {
  if (Number.isInteger(value)) return String(value);
  return String(Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(4)));
}

function textOf(value: Json, depth: number, exact: boolean): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" && !exact) return shortNumber(value);
  if (typeof value !== "object" || value === null || depth >= DEEPEST) return writeJson(value);
  return isJsonObject(value) ? membersOf(value, depth, exact) : itemsOf(value, depth, exact);
}

function membersOf(object: JsonObject, depth: number, exact: boolean): string {
  const members = Object.entries(object);
  if (members.length === 0) return "{}";
  const lines = members
    .slice(0, MOST_MEMBERS)
    .map(([name, value]) => named(shortName(name), value, depth, exact));
  return joined(lines, members.length, "members");
}

function itemsOf(list: readonly Json[], depth: number, exact: boolean): string {
  if (list.length === 0) return "[]";
  const lines = list.slice(0, MOST_MEMBERS).map((value, i) => named(String(i + 1), value, depth, exact));
  return joined(lines, list.length, "items");
}

function joined(lines: readonly string[], count: number, noun: string): string {
  const rest = count > lines.length ? [`… and ${count - lines.length} more ${noun}`] : [];
  return [...lines, ...rest].join("\n").trimEnd();
}

function named(name: string, value: Json, depth: number, exact: boolean): string {
  const text = textOf(value, depth + 1, exact);
  if (typeof value === "string") return isShort(text) ? `${name}: ${text}` : `${name}:\n${text}\n`;
  return text.includes("\n") || isFilled(value) ? `${name}:\n${indented(text)}` : `${name}: ${text}`;
}

function isFilled(value: Json): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

function isShort(text: string): boolean {
  return text.length <= LONGEST_BESIDE && !text.includes("\n");
}

function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gmu, "  ");
}

function shortName(name: string): string {
  return cutText(name, LONGEST_NAME);
}

function lineBreaks(text: string): string {
  return text.replaceAll("\r\n", "\n");
}
