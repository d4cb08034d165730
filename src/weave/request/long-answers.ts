import { meaningFault } from "./read-request.ts";

/** A small part first, since nobody knows yet how long its texts are. */
const FIRST = 4;
const GROWTH = 4;
/** Characters that are read at once, as far as the texts read before tell. */
const PART_CHARACTERS = 16 * 1024 * 1024;

interface Reading<Item, Key> {
  /** Items that are read at once where their texts are short. */
  readonly most: number;
  readonly keyOf: (item: Item) => Key;
  /** The texts of some items by key; each time on a snapshot of its own. */
  readonly read: (part: readonly Item[]) => Promise<ReadonlyMap<Key, string>>;
  readonly signal: AbortSignal | undefined;
}

/** Each item with its text, where it has one; reads as many at once as their length allows. */
export async function* readInParts<Item, Key>(
  items: readonly Item[],
  { most, keyOf, read, signal }: Reading<Item, Key>,
): AsyncGenerator<readonly [item: Item, text: string | undefined], void, undefined> {
  let size = FIRST;
  for (let at = 0; at < items.length;) {
    signal?.throwIfAborted();
    const part = items.slice(at, at + size);
    const texts = await read(part);
    let characters = 1;
    for (const item of part) {
      const text = texts.get(keyOf(item));
      characters += text?.length ?? 0;
      yield [item, text];
    }
    at += part.length;
    const fits = Math.floor((part.length * PART_CHARACTERS) / characters);
    size = Math.max(1, Math.min(most, GROWTH * size, fits));
  }
}

/** Short items go together: so many characters. */
const PIECE = 64 * 1024;

/** The JSON text of an object whose first member is the list of these items, in pieces; `rest`: its other members. */
export async function* writeListAnswer(
  name: string,
  items: AsyncIterable<string> | Iterable<string>,
  rest = "",
): AsyncGenerator<string, void, undefined> {
  let held = `{${JSON.stringify(name)}:[`;
  let mark = "";
  for await (const item of items) {
    held += mark + item;
    mark = ",";
    if (held.length < PIECE) continue;
    yield held;
    held = "";
  }
  yield `${held}]${rest}}`;
}

/** Characters of one answer that is held as a whole. */
const MOST_CHARACTERS = 256 * 1024 * 1024;

/**
 * Counts the characters of texts that are held for one answer; throws a fault of the member `name` beyond the bound.
 */
export function createHold(name: string, remedy: string): (text: string) => string {
  let characters = 0;
  return (text) => {
    characters += text.length;
    if (characters > MOST_CHARACTERS)
      throw meaningFault([name], `must lead to at most ${MOST_CHARACTERS} characters: ${remedy}`);
    return text;
  };
}
