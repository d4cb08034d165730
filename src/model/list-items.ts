import { endOfValue } from "./member-texts.ts";
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  endOfString,
  OPEN_BRACE,
  OPEN_BRACKET,
  skipBlanks,
} from "./read-json.ts";

/**
 * The raw text of each item of the list that these names lead to inside a JSON object, one after the other, so that a long
 * list need not be parsed at once. Whoever takes an item must parse it; the rest is checked here. Returns the text with an
 * empty list in place of this one. Throws `SyntaxError` where the text is not JSON or has no such list.
 */
export function* listItems(text: string, names: readonly string[]): Generator<string, string, undefined> {
  const from = names.reduce((at, name) => valueOf(text, at, name), skipBlanks(text, 0));
  const end = yield* itemsFrom(text, from);
  const rest = `${text.slice(0, from)}[]${text.slice(end)}`;
  JSON.parse(rest);
  return rest;
}

/** Where the value of a member of the object at `from` begins. */
function valueOf(text: string, from: number, name: string): number {
  let at = skipBlanks(text, behind(text, from, OPEN_BRACE));
  while (text.charCodeAt(at) !== CLOSE_BRACE) {
    const nameEnd = endOfString(text, at);
    const value = skipBlanks(text, behind(text, skipBlanks(text, nameEnd), COLON));
    if (JSON.parse(text.slice(at, nameEnd)) === name) return value;
    at = skipBlanks(text, endOfValue(text, value));
    if (text.charCodeAt(at) === COMMA) at = skipBlanks(text, at + 1);
  }
  throw new SyntaxError(`has no member ${JSON.stringify(name)}`);
}

/** Returns where the list ends. */
function* itemsFrom(text: string, from: number): Generator<string, number, undefined> {
  let at = skipBlanks(text, behind(text, from, OPEN_BRACKET));
  if (text.charCodeAt(at) === CLOSE_BRACKET) return at + 1;
  for (;;) {
    const end = endOfValue(text, at);
    yield text.slice(at, end);
    at = skipBlanks(text, end);
    if (text.charCodeAt(at) === CLOSE_BRACKET) return at + 1;
    at = skipBlanks(text, behind(text, at, COMMA));
  }
}

function behind(text: string, at: number, mark: number): number {
  if (text.charCodeAt(at) === mark) return at + 1;
  throw new SyntaxError(`has no ${String.fromCharCode(mark)} at character ${at}`);
}
