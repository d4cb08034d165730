/** Bytes of UTF-8 of a text that stands where it was sent; a longer one stands in pieces, and a stub instead of it. */
export const MOST_INLINE_BYTES = 4096;

/** What stands in a record instead of a long text. */
export interface Stub {
  readonly key: number;
  readonly bytes: number;
  /** The first half of the SHA-256 of the text, in hexadecimal digits. */
  readonly hash: string;
  /** The text in the one spelling in which trials and rows have it, where it was sent in another. */
  readonly compact: { readonly key: number; readonly bytes: number } | null;
  /** Of an inline example, the digest of the row; the text then belongs to the row. */
  readonly digest: string | null;
  /** The first 200 code points of the text. */
  readonly head: string;
  /** Of the output of a trial, how it is shown in one line. */
  readonly line: string | null;
}

/** A stub, and where it begins and ends in a text. */
export interface PlacedStub extends Stub {
  readonly start: number;
  readonly end: number;
}

/*
 * A stub is a JSON string without escapes, so that it stays the same wherever JSON is copied. It begins with a secret
 * of the database: no text from outside can look like one.
 */

export function writeStub(mark: string, { key, bytes, hash, compact, digest, head, line }: Stub): string {
  const parts = [hash, bytes, key, compact?.key ?? "", compact?.bytes ?? "", digest ?? ""];
  const texts = [head, ...(line === null ? [] : [line])].map((one) => Buffer.from(one).toString("base64url"));
  return `"${mark}:${[...parts, ...texts].join(":")}"`;
}

/** The stubs in a text, in their order; `mark` is null where there can be none. */
export function stubsIn(mark: string | null, text: string): PlacedStub[] {
  const stubs: PlacedStub[] = [];
  if (mark === null) return stubs;
  for (let at = text.indexOf(mark); at !== -1; at = text.indexOf(mark, at + mark.length)) {
    const end = text.indexOf('"', at) + 1;
    const [, hash = "", bytes, key, compactKey, compactBytes, digest, head = "", line] = text
      .slice(at, end - 1)
      .split(":");
    stubs.push({
      start: at - 1,
      end,
      hash,
      bytes: Number(bytes),
      key: Number(key),
      compact: compactKey ? { key: Number(compactKey), bytes: Number(compactBytes) } : null,
      digest: digest || null,
      head: decoded(head),
      line: line === undefined ? null : decoded(line),
    });
  }
  return stubs;
}

function decoded(text: string): string {
  return Buffer.from(text, "base64url").toString("utf8");
}

/** The text with something else instead of each stub. */
export function replaceStubs(mark: string | null, text: string, by: (stub: PlacedStub) => string): string {
  const stubs = stubsIn(mark, text);
  if (stubs.length === 0) return text;
  const parts: string[] = [];
  let at = 0;
  for (const stub of stubs) {
    parts.push(text.slice(at, stub.start), by(stub));
    at = stub.end;
  }
  return parts.join("") + text.slice(at);
}

/** The text with stubs of the one spelling in which trials and rows have texts. */
export function compactStubs(mark: string | null, text: string): string {
  return replaceStubs(mark, text, (stub) =>
    writeStub(mark ?? "", { ...stub, ...stub.compact, compact: null }),
  );
}

/** Keys of the texts of the stubs in a text. */
export function keysOfStubs(mark: string | null, text: string): number[] {
  return stubsIn(mark, text).flatMap(({ key, compact }) => (compact === null ? [key] : [key, compact.key]));
}

/** The same without those that belong to rows. */
export function ownKeysOfStubs(mark: string | null, text: string): number[] {
  return stubsIn(mark, text).flatMap(({ key, compact, digest }) => {
    if (digest === null) return compact === null ? [key] : [key, compact.key];
    return compact === null ? [] : [key];
  });
}

/** Bytes of the texts of the stubs of a text; null where there is none. */
export function bytesOfStubs(mark: string | null, text: string): number | null {
  const stubs = stubsIn(mark, text);
  return stubs.length === 0 ? null : stubs.reduce((sum, { bytes }) => sum + bytes, 0);
}

const HEAD_POINTS = 200;

/** The first 200 code points of a text. */
export function headOf(text: string | Uint8Array): string {
  const start =
    typeof text === "string"
      ? text.slice(0, 2 * HEAD_POINTS)
      : Buffer.from(text.subarray(0, 4 * HEAD_POINTS)).toString("utf8");
  return Array.from(start).slice(0, HEAD_POINTS).join("").toWellFormed();
}
