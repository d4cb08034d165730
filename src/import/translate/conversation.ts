import { isJsonObject, type Json } from "../../model/json.ts";

const MAX_CHARACTERS = 256 * 1024;
const LONG_TEXT = 16 * 1024;

/** A conversation of at most about 256 KiB: of a longer one, its begin and its end, and a note of what was left out. */
export function cutConversation(messages: readonly Json[]): readonly Json[] {
  if (lengthOf(messages) <= MAX_CHARACTERS) return messages;
  const shorter = messages.map(shortenTexts);
  const sizes = shorter.map((message) => lengthOf(message));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (total <= MAX_CHARACTERS) return shorter;
  const first = prefixWithin(sizes, MAX_CHARACTERS / 2);
  const last = prefixWithin(sizes.toReversed().slice(0, sizes.length - first), MAX_CHARACTERS / 2);
  const left = shorter.length - first - last;
  const marker = { left_out: `${left} messages, ${total - MAX_CHARACTERS} characters and more` };
  return [...shorter.slice(0, first), marker, ...shorter.slice(shorter.length - last)];
}

function prefixWithin(sizes: readonly number[], most: number): number {
  let sum = 0;
  const end = sizes.findIndex((size) => (sum += size) > most);
  return end < 0 ? sizes.length : end;
}

function lengthOf(value: unknown): number {
  try {
    return JSON.stringify(value).length;
  } catch (error) {
    // A long integer is no JSON for JavaScript.
    if (!(error instanceof TypeError)) throw error;
    return JSON.stringify(value, (_, one: unknown) => (typeof one === "bigint" ? String(one) : one)).length;
  }
}

function shortenTexts(value: Json): Json {
  if (typeof value === "string") return shortened(value);
  if (Array.isArray(value)) return value.map((item: Json) => shortenTexts(item));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shortenTexts(one)]));
}

function shortened(text: string): string {
  if (text.length <= LONG_TEXT) return text;
  const half = LONG_TEXT / 2;
  return `${text.slice(0, half)}\n… ${text.length - LONG_TEXT} characters left out …\n${text.slice(-half)}`;
}
