import { SourceFault } from "./fault.ts";

/** What hears of the parts of an XML document. Names are without prefixes. */
export interface XmlHandler {
  readonly open: (name: string, attributes: string) => void;
  readonly close: (name: string) => void;
  /** A part of a text, as {@link xmlText} reads it. */
  readonly text: (written: string) => void;
}

/** A tag or a text may be this long. */
const MOST_CHARACTERS = 4 * 1024 * 1024;

/** Where a part of a document that begins so ends. */
const ENDS: readonly (readonly [begin: string, end: string])[] = [
  ["<!--", "-->"],
  ["<![CDATA[", "]]>"],
  ["<?", "?>"],
];

/**
 * Reads an XML document piece by piece. Throws {@link SourceFault} where it declares a type, which may hold entities.
 */
export async function readXml(
  bytes: AsyncIterable<Uint8Array>,
  place: string,
  handler: XmlHandler,
): Promise<void> {
  const pieces = xmlPieces(bytes, place, handler);
  while ((await pieces.next()).done !== true);
}

/** The same; yields after each piece. */
export async function* xmlPieces(
  bytes: AsyncIterable<Uint8Array>,
  place: string,
  handler: XmlHandler,
): AsyncGenerator<void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const piece of bytes) {
    const text = rest + decoder.decode(piece, { stream: true });
    rest = text.slice(readParts(text, place, handler));
    if (rest.length > MOST_CHARACTERS) throw new SourceFault("invalid", place, "has a part without an end");
    yield;
  }
  if (rest.trim() !== "") throw new SourceFault("truncated", place, "ends in the middle of XML");
}

/** Reads the parts that end in a text; gives where the next one begins. */
function readParts(text: string, place: string, handler: XmlHandler): number {
  for (let at = 0; ;) {
    const begin = text.indexOf("<", at);
    if (begin < 0) return at;
    if (begin > at) handler.text(text.slice(at, begin));
    const end = endOf(text, begin);
    if (end < 0) return begin;
    at = end;
    readPart(text.slice(begin, end), place, handler);
  }
}

/** Where the part ends that begins at a place; -1 where it does not end yet. */
function endOf(text: string, begin: number): number {
  if (text.charAt(begin + 1) === "!" || text.charAt(begin + 1) === "?") {
    const known = ENDS.find(([start]) => text.startsWith(start, begin));
    const end = known?.[1] ?? ">";
    const at = text.indexOf(end, begin);
    return at < 0 ? -1 : at + end.length;
  }
  return tagEnd(text, begin);
}

/** Values of attributes may hold what ends a tag. */
function tagEnd(text: string, begin: number): number {
  let quote = "";
  for (let at = begin + 1; at < text.length; at++) {
    const character = text.charAt(at);
    if (quote !== "") quote = character === quote ? "" : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === ">") return at + 1;
  }
  return -1;
}

function readPart(part: string, place: string, handler: XmlHandler): void {
  if (part.startsWith("<![CDATA[")) handler.text(part.slice(9, -3).replaceAll("&", "&amp;"));
  if (part.startsWith("<!") && !part.startsWith("<!--") && !part.startsWith("<![CDATA["))
    throw new SourceFault(
      "invalid",
      place,
      "declares a document type, which no workbook needs; it is refused",
    );
  if (part.startsWith("<!") || part.startsWith("<?")) return;
  const isEmpty = part.endsWith("/>");
  const inside = part.slice(part.startsWith("</") ? 2 : 1, isEmpty ? -2 : -1);
  const blank = inside.search(/\s/);
  const whole = blank < 0 ? inside : inside.slice(0, blank);
  const name = whole.slice(whole.indexOf(":") + 1);
  if (!part.startsWith("</")) handler.open(name, blank < 0 ? "" : inside.slice(blank));
  if (isEmpty || part.startsWith("</")) handler.close(name);
}

const MOST_BLANKS = 16;

/** The value of an attribute by its name without a prefix; null where there is none. */
export function attribute(attributes: string, name: string): string | null {
  for (let at = 0; ;) {
    const equals = attributes.indexOf("=", at);
    const begin = equals + 1 + Math.max(0, attributes.slice(equals + 1, equals + MOST_BLANKS).search(/\S/));
    const end = equals < 0 ? -1 : attributes.indexOf(attributes.charAt(begin), begin + 1);
    if (end < 0) return null;
    const own = attributes.slice(at, equals).trim();
    if (own.slice(own.indexOf(":") + 1) === name) return xmlText(attributes.slice(begin + 1, end));
    at = end + 1;
  }
}

const NAMED: ReadonlyMap<string, string> = new Map(
  Object.entries({ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" }),
);

/** A text as it is meant; a reference to anything but a character stays as it is written. */
export function xmlText(written: string): string {
  if (!written.includes("&")) return written;
  return written.replaceAll(/&(?:#\d{1,7}|#x[\da-f]{1,6}|\w{1,8});/gi, (reference) => {
    const name = reference.slice(1, -1);
    if (!name.startsWith("#")) return NAMED.get(name) ?? reference;
    const code = Number(name.slice(1).replace(/^x/i, "0x"));
    return code > 0x10_ffff ? reference : String.fromCodePoint(code);
  });
}
