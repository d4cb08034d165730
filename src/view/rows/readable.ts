import { cutText } from "../words/cut-text.ts";
import { isJsonObject, parseJson, writeJson, type Json, type JsonObject } from "../../model/json.ts";

const MOST_MEMBERS = 40;
const DEEPEST = 8;
const LONGEST_NAME = 300;
/** Texts up to this length stand beside their name. */
const LONGEST_BESIDE = 100;

/** A value as people read it, and as it is stored. */
export interface Readable {
  readonly text: string;
  /** Null where the text is what is stored. */
  readonly stored: string | null;
}

/** Objects, and texts that are JSON, as names and values with real line breaks. */
export function readable(value: Json): Readable {
  const stored = typeof value === "string" ? value : writeJson(value);
  const structure = typeof value === "string" ? structureIn(value) : value;
  const text = lineBreaks(
    structure === null || typeof structure !== "object" ? stored : textOf(structure, 0),
  );
  return { text, stored: text === stored ? null : stored };
}

/** The object or list that a text is the JSON of. */
function structureIn(text: string): Json {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

function textOf(value: Json, depth: number): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null || depth >= DEEPEST) return writeJson(value);
  return isJsonObject(value) ? membersOf(value, depth) : itemsOf(value, depth);
}

function membersOf(object: JsonObject, depth: number): string {
  const members = Object.entries(object);
  if (members.length === 0) return "{}";
  const lines = members.slice(0, MOST_MEMBERS).map(([name, value]) => named(shortName(name), value, depth));
  return joined(lines, members.length, "members");
}

function itemsOf(list: readonly Json[], depth: number): string {
  if (list.length === 0) return "[]";
  const lines = list.slice(0, MOST_MEMBERS).map((value, i) => named(String(i + 1), value, depth));
  return joined(lines, list.length, "items");
}

function joined(lines: readonly string[], count: number, noun: string): string {
  const rest = count > lines.length ? [`… and ${count - lines.length} more ${noun}`] : [];
  return [...lines, ...rest].join("\n").trimEnd();
}

function named(name: string, value: Json, depth: number): string {
  const text = textOf(value, depth + 1);
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
