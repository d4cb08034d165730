import { isJsonObject, writeJson, type Json, type JsonObject } from "../../model/json.ts";
import { withoutNoNumbers } from "../read/no-numbers.ts";

const DATA_URI = /^data:([\w.+-]{1,100}\/[\w.+-]{1,100})?[^,]{0,200};base64,/;

/** The value with a note in the place of each base64 medium. */
function withoutMedia(value: Json): Json {
  if (typeof value === "string") return value.startsWith("data:") ? mediaNote(value) : value;
  if (Array.isArray(value)) return value.map((item: Json) => withoutMedia(item));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withoutMedia(one)]));
}

function mediaNote(uri: string): string {
  const match = DATA_URI.exec(uri);
  if (match === null) return uri;
  const bytes = Buffer.byteLength(uri.slice(match[0].length), "base64");
  return `<data: ${match[1] ?? "text/plain"}, ${bytes} bytes>`;
}

/**
 * A record as JSON text, and as what that text parses to where that is at hand. NaN and infinities become null,
 * integers keep their digits, and base64 media become notes.
 */
export function recordText(record: JsonObject): { readonly text: string; readonly members?: JsonObject } {
  const written = writtenRecord(record);
  return written.text.includes('"data:') ? writtenRecord(withoutMedia(record) as JsonObject) : written;
}

function writtenRecord(record: JsonObject): ReturnType<typeof recordText> {
  try {
    return { text: JSON.stringify(record), members: record };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { text: writeJson(withoutNoNumbers(record)) };
  }
}

/** The first line of a text, without what a call's members cannot hold. */
export function firstLine(text: string): string {
  return (text.trim().split(/[\r\n]/, 1)[0] ?? "").replaceAll("\0", "\uFFFD");
}

/** A text of at most so many characters; of a longer one its begin. */
export function atMost(text: string, characters: number): string {
  return text.length <= characters ? text : `${text.slice(0, characters)}… (cut, ${text.length} characters)`;
}
