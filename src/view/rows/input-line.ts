import { isJsonObject, type Json, writeJson } from "../../model/json.ts";
import { oneLine } from "../../model/one-line.ts";

const MEMBERS = ["question", "input", "prompt", "text", "query", "instruction"];

/** An input in one line: of an object the first text among the usual members, else its JSON. */
export function inputLine(input: Json): string {
  return oneLine(typeof input === "string" ? input : (memberText(input) ?? writeJson(input)));
}

/** The first text of an input in one line: that of {@link inputLine}, else of any member; null where there is none. */
export function inputText(input: Json | undefined): string | null {
  if (typeof input === "string") return input.trim() === "" ? null : oneLine(input);
  if (!isJsonObject(input)) return null;
  const any = Object.values(input).find((value) => typeof value === "string" && value.trim() !== "");
  const text = memberText(input) ?? any;
  return typeof text === "string" ? oneLine(text) : null;
}

function memberText(input: Json): string | undefined {
  if (!isJsonObject(input)) return undefined;
  for (const name of MEMBERS) {
    const value = Object.hasOwn(input, name) ? input[name] : undefined;
    if (typeof value === "string" && value.trim() !== "") return value;
  }
  return undefined;
}

/** Lets the page answer, and be drawn, before what comes next; it may take so many milliseconds. */
export function nextTurn(milliseconds = 0): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
