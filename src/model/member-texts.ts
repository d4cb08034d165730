import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  endOfString,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  skipBlanks,
} from "./read-json.ts";

/** The raw text of each member of a JSON object, by name; of repeated names the last. */
export function memberTexts(text: string): Map<string, string> {
  const members = new Map<string, string>();
  let i = skipBlanks(text, skipBlanks(text, 0) + 1);
  while (text.charCodeAt(i) !== CLOSE_BRACE) {
    if (text.charCodeAt(i) === COMMA) i = skipBlanks(text, i + 1);
    const nameEnd = endOfString(text, i);
    const name = text.slice(i, nameEnd);
    const start = skipBlanks(text, skipBlanks(text, nameEnd) + 1);
    const end = endOfValue(text, start);
    members.set(
      name.includes("\\") ? (JSON.parse(name) as string) : name.slice(1, -1),
      text.slice(start, end),
    );
    i = skipBlanks(text, end);
  }
  return members;
}

/** The raw text of each item of a JSON list. */
export function itemTexts(text: string): string[] {
  const items: string[] = [];
  let i = skipBlanks(text, skipBlanks(text, 0) + 1);
  while (text.charCodeAt(i) !== CLOSE_BRACKET) {
    if (text.charCodeAt(i) === COMMA) i = skipBlanks(text, i + 1);
    const end = endOfValue(text, i);
    items.push(text.slice(i, end));
    i = skipBlanks(text, end);
  }
  return items;
}

/** Where the value that begins at `from` ends, in a text that is JSON; in another text somewhere behind. */
export function endOfValue(text: string, from: number): number {
  let depth = 0;
  for (let i = from; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === QUOTE) i = endOfString(text, i) - 1;
    else if (c === OPEN_BRACE || c === OPEN_BRACKET) depth++;
    else if (c === CLOSE_BRACE || c === CLOSE_BRACKET) {
      if (depth === 0) return trimBlanks(text, i);
      depth--;
    } else if (c === COMMA && depth === 0) return trimBlanks(text, i);
  }
  return text.length;
}

function trimBlanks(text: string, end: number): number {
  let i = end;
  while (i > 0 && text.charCodeAt(i - 1) <= 32) i--;
  return i;
}

/** The JSON object with these members, whose values are JSON texts. */
export function writeMembers(members: ReadonlyMap<string, string>): string {
  return `{${Array.from(members, ([name, value]) => `${JSON.stringify(name)}:${value}`).join(",")}}`;
}
