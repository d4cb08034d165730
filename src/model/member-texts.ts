import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  endOfString,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  skipBlanks,
} from "./read-json.ts";
import { OUTSIDE_OF_TEXTS, WIDE_MEMBER, WIDE_OBJECT } from "./json-bounds.ts";
import { inOwnTurn } from "./turns.ts";

/** A member of a JSON object, and where its name, with the quotes, and its value begin and end in the text. */
export interface JsonMember {
  readonly name: string;
  readonly nameStart: number;
  readonly nameEnd: number;
  readonly start: number;
  readonly end: number;
}

/**
 * The members of the outermost object of a text, in their order, repeated names included. Values are located and never
 * rebuilt, so that digits survive. The text must be JSON.
 */
export function memberPlaces(text: string): JsonMember[] {
  const members: JsonMember[] = [];
  let nameStart = skipBlanks(text, skipBlanks(text, 0) + 1);
  while (text.charCodeAt(nameStart) !== CLOSE_BRACE) {
    if (text.charCodeAt(nameStart) === COMMA) nameStart = skipBlanks(text, nameStart + 1);
    const nameEnd = endOfString(text, nameStart);
    const name = text.slice(nameStart, nameEnd);
    const start = skipBlanks(text, skipBlanks(text, nameEnd) + 1);
    const end = endOfValue(text, start);
    const plain = name.includes("\\") ? (JSON.parse(name) as string) : name.slice(1, -1);
    members.push({ name: plain, nameStart, nameEnd, start, end });
    nameStart = skipBlanks(text, end);
  }
  return members;
}

/** The raw text of each member of a JSON object, by name; of repeated names the last. */
export function memberTexts(text: string): Map<string, string> {
  return new Map(memberPlaces(text).map(({ name, start, end }) => [name, text.slice(start, end)]));
}

/** The raw text of the value that these names lead to inside a JSON object; `null` where there is none. */
export async function textAt(text: string, ...names: readonly string[]): Promise<string> {
  let found = text;
  for (const name of names) {
    const object = found;
    found = await inOwnTurn(object, () => memberTexts(object).get(name) ?? "null");
  }
  return found;
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

/** How far the end of a value is looked for: one that has more is refused. */
interface ItemBounds {
  readonly bytes: number;
  readonly values: number;
}

const NO_BOUNDS: ItemBounds = { bytes: Infinity, values: Infinity };

/** Characters outside of texts, counted over several values. */
interface Outside {
  outside: number;
}

/**
 * Where the value that begins at `from` ends, in a text that is JSON; in another text somewhere behind. -1 beyond the
 * bounds.
 */
function endOfValue(
  text: string,
  from: number,
  { bytes, values } = NO_BOUNDS,
  walked: Outside = { outside: 0 },
): number {
  const most = Math.min(from + bytes + 1, text.length);
  const mostOutside = OUTSIDE_OF_TEXTS * values;
  let [depth, commas, strings] = [0, 0, 0];
  for (let i = from; i < most; i++) {
    const c = text.charCodeAt(i);
    if (++walked.outside > mostOutside) return -1;
    if (c === QUOTE) {
      i = endOfString(text, i) - 1;
      // Names and values; more of them have no commas in between.
      if (++strings > 2 * values) return -1;
    } else if (c === OPEN_BRACE || c === OPEN_BRACKET) depth++;
    else if (c === CLOSE_BRACE || c === CLOSE_BRACKET) {
      if (depth === 0) return trimBlanks(text, i);
      depth--;
    } else if (c === COMMA) {
      if (depth === 0) return trimBlanks(text, i);
      if (++commas > values) return -1;
    }
  }
  return most < text.length ? -1 : most;
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

/**
 * The raw text of each item of the list that these names lead to inside a JSON object, one after the other, so that a
 * long list need not be parsed at once. Whoever takes an item must parse it, and so the rest. Returns the text with an
 * empty list instead of this one. Throws `SyntaxError` where it sees that the text is not JSON or has no such list. Of
 * an item beyond the bounds comes a part that is beyond them too: whoever takes it must refuse it.
 */
export function* listItems(
  text: string,
  names: readonly string[],
  bounds = NO_BOUNDS,
): Generator<string, string, undefined> {
  const walked = { ...bounds, outside: 0 };
  const from = names.reduce((at, name) => valueOf(text, at, name, walked), skipBlanks(text, 0));
  const end = yield* itemsFrom(text, from, function* (at) {
    const itemEnd = endOfValue(text, at, bounds);
    yield itemText(text, at, itemEnd, bounds);
    return itemEnd;
  });
  return `${text.slice(0, from)}[]${text.slice(end)}`;
}

/**
 * As {@link listItems}, the items of the list `inner` of each object of the list `outer`, each with the numbers of its
 * object and of itself. Returns the text with empty lists instead of the inner ones. Calls `begin` with the number of
 * each object.
 */
export function* nestedItems(
  text: string,
  [outer, inner]: readonly [string, string],
  bounds: ItemBounds,
  begin: (object: number) => void,
): Generator<readonly [object: number, index: number, text: string], string, undefined> {
  const rest: string[] = [];
  const walked = { ...bounds, outside: 0 };
  let [object, kept] = [-1, 0];
  yield* itemsFrom(text, valueOf(text, skipBlanks(text, 0), outer, walked), function* (at) {
    begin(++object);
    let index = 0;
    const list = valueOf(text, at, inner, walked);
    rest.push(text.slice(kept, list), "[]");
    kept = yield* itemsFrom(text, list, function* (from) {
      const end = endOfValue(text, from, bounds);
      yield [object, index++, itemText(text, from, end, bounds)] as const;
      return end;
    });
    return walkMembers(text, kept, walked, null);
  });
  return `${rest.join("")}${text.slice(kept)}`;
}

function itemText(text: string, from: number, end: number, { bytes }: ItemBounds): string {
  return text.slice(from, end === -1 ? from + bytes + 1 : end);
}

/** Where the value of a member of the object at `from` begins. */
function valueOf(text: string, from: number, name: string, bounds: ItemBounds & Outside): number {
  return walkMembers(text, behind(text, from, OPEN_BRACE), bounds, name);
}

/**
 * From a place between members of an object to where the value of the member `name` begins, or where the object ends.
 * All members that are walked over have together as few characters outside of texts as one value; many members count
 * for more than they have.
 */
function walkMembers(text: string, from: number, bounds: ItemBounds & Outside, name: string | null): number {
  let at = skipBlanks(text, from);
  for (let members = 1; text.charCodeAt(at) !== CLOSE_BRACE; members++) {
    if (members > WIDE_OBJECT) bounds.outside += WIDE_MEMBER * OUTSIDE_OF_TEXTS;
    if (text.charCodeAt(at) === COMMA) at = skipBlanks(text, at + 1);
    const nameEnd = endOfString(text, at);
    const value = skipBlanks(text, behind(text, skipBlanks(text, nameEnd), COLON));
    if (name !== null && JSON.parse(text.slice(at, nameEnd)) === name) return value;
    const end = endOfValue(text, value, bounds, bounds);
    if (end === -1)
      throw new SyntaxError(
        `has more than ${bounds.bytes} bytes, ${bounds.values} values or ${OUTSIDE_OF_TEXTS * bounds.values} characters outside of texts at character ${value}`,
      );
    at = skipBlanks(text, end);
  }
  if (name !== null) throw new SyntaxError(`has no member ${JSON.stringify(name)}`);
  return at + 1;
}

/** Reads each item of the list at `from`, which says where it ends; returns where the list ends. */
function* itemsFrom<Item>(
  text: string,
  from: number,
  read: (at: number) => Generator<Item, number, undefined>,
): Generator<Item, number, undefined> {
  let at = skipBlanks(text, behind(text, from, OPEN_BRACKET));
  if (text.charCodeAt(at) === CLOSE_BRACKET) return at + 1;
  for (;;) {
    at = skipBlanks(text, yield* read(at));
    if (text.charCodeAt(at) === CLOSE_BRACKET) return at + 1;
    at = skipBlanks(text, behind(text, at, COMMA));
  }
}

function behind(text: string, at: number, mark: number): number {
  if (text.charCodeAt(at) === mark) return at + 1;
  throw new SyntaxError(`has no ${String.fromCharCode(mark)} at character ${at}`);
}
