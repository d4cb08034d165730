import { cutText, startOf } from "../words/cut-text.ts";
import { isJsonObject, writeJson, type Json } from "../../model/json.ts";

const MEMBERS = ["question", "input", "prompt", "text", "query", "instruction"];
const LONGEST_LINE = 400;

/** An input in one line: of an object the first text among the usual members, else its JSON. */
export function inputLine(input: Json): string {
  return oneLine(typeof input === "string" ? input : (memberText(input) ?? writeJson(input)));
}

function memberText(input: Json): string | undefined {
  if (!isJsonObject(input)) return undefined;
  for (const name of MEMBERS) {
    const value = Object.hasOwn(input, name) ? input[name] : undefined;
    if (typeof value === "string" && value.trim() !== "") return value;
  }
  return undefined;
}

function oneLine(text: string): string {
  const start = startOf(text, 4 * LONGEST_LINE)
    .replaceAll(/\s+/gu, " ")
    .trim();
  return cutText(start, LONGEST_LINE);
}
