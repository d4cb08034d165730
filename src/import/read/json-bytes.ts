/** The bytes of JSON that have a meaning of their own. */
export const QUOTE = 0x22;
const BACKSLASH = 0x5c;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_LIST = 0x5b;
export const CLOSE_LIST = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;
export const LETTER_I = 0x49;
export const LETTER_N = 0x4e;

const MARKS: ReadonlyMap<number, Buffer> = new Map(
  Array.from("{}[],:", (text) => [text.charCodeAt(0), Buffer.from(text)]),
);

/** Bytes that mean something within a plain value and outside of strings; of a number or a word also what ends it. */
export const MEANT = bytesOf('"{}[]NI');
export const MEANT_IN_SCALAR = bytesOf('"{}[]NI, \t\n\v\f\r');

/** A byte of the structure as a text. */
export function mark(byte: number): Buffer {
  return MARKS.get(byte) ?? Buffer.alloc(0);
}

function bytesOf(characters: string): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) =>
    Number(characters.includes(String.fromCharCode(byte))),
  );
}

/** Looking for the end of a string byte by byte is faster for so many bytes. */
const SHORT_STRING = 32;

/** Finds where a JSON string ends, though it may go on in the next chunk. */
export class StringEnd {
  /** Whether the string goes on behind the chunk that was looked at last. */
  isOpen = false;
  #isEscaped = false;

  /**
   * Where the string that goes on at `from` ends, behind its quote; the length of the chunk where that is not in it.
   */
  find(chunk: Buffer, from: number): number {
    let at = from;
    if (this.#isEscaped) {
      this.#isEscaped = false;
      at++;
    }
    for (const near = Math.min(at + SHORT_STRING, chunk.length); at < near; at++) {
      const byte = chunk[at];
      if (byte === QUOTE) {
        this.isOpen = false;
        return at + 1;
      }
      if (byte === BACKSLASH) at++;
    }
    return this.#findFar(chunk, at);
  }

  /** A quote ends a string unless an odd number of backslashes stands before it. */
  #findFar(chunk: Buffer, from: number): number {
    let at = from;
    let quote = chunk.indexOf(QUOTE, at);
    for (; quote >= 0 && backslashes(chunk, at, quote) % 2 === 1; quote = chunk.indexOf(QUOTE, at))
      at = quote + 1;
    this.isOpen = quote < 0;
    this.#isEscaped = quote < 0 && (at > chunk.length || backslashes(chunk, at, chunk.length) % 2 === 1);
    return quote < 0 ? chunk.length : quote + 1;
  }
}

/** How many backslashes stand one after another before `to`, not before `from`. */
function backslashes(chunk: Buffer, from: number, to: number): number {
  let at = to;
  while (at > from && chunk[at - 1] === BACKSLASH) at--;
  return to - at;
}
