import { chatOf, structureIn } from "./chat.ts";
import { stringValues } from "./read-json.ts";
import { parseJson, writeJson, type Json } from "./json.ts";

const LONGEST = 400;

/** A text in one line: blanks folded, at most 400 characters. */
export function oneLine(text: string): string {
  const line = text
    .slice(0, 4 * LONGEST)
    .replaceAll(/\s+/gu, " ")
    .trim();
  if (line.length <= LONGEST && text.length <= 4 * LONGEST) return line;
  // No half of a character is left.
  return `${line.slice(0, LONGEST).replace(/[\ud800-\udbff]$/u, "")}…`;
}

/** An output in one line: the first one of a text, of a chat that of the last text of the assistant, else JSON. */
export function outputLine(output: Json): string {
  const value = typeof output === "string" ? structureIn(output) : output;
  const said = typeof value === "string" ? value : chatOf(value)?.last;
  return said == null ? oneLine(writeJson(value)) : firstLine(said);
}

/** A longer value is not read for its line, which then is how its JSON begins: nobody waits for one output. */
const LONGEST_READ = 1_000_000;

/** {@link outputLine} of an output as JSON text. */
export function outputLineOf(json: string): string {
  return json.length > LONGEST_READ && !json.startsWith('"') ? oneLine(json) : outputLine(parseJson(json));
}

/** {@link outputLineOf} a JSON string that begins with `start`; null where that does not tell it. */
export function lineOfStart(start: string): string | null {
  const [value = ""] = stringValues(start);
  const said = value.trimStart();
  return said.length <= 4 * LONGEST || /^[[{]/.test(said) ? null : firstLine(said);
}

/** What stands in the place of the output of a failed trial. */
export function errorLine(error: string): string {
  const line = firstLine(error);
  return line.startsWith("Error") ? line : `Error: ${line}`;
}

function firstLine(text: string): string {
  return oneLine(/\S[^\r\n]*/u.exec(text)?.[0] ?? "");
}
