import { PassThrough, type Readable } from "node:stream";

const MIB = 1024 * 1024;
export const LONGEST_LINE = 10 * MIB;

/**
 * The lines of a stream, each as a chunk that ends with a line end, but for those that are too long: of each of them
 * `tooLong` is told the id of the message, null where it has none. `ended` is called at the end of the stream, which
 * does not end what is given.
 */
export function shortLines(
  input: Readable,
  tooLong: (id: string | number | null) => void,
  ended: () => void,
): PassThrough {
  // Without a bound nothing waits in it for longer than a tick.
  const lines = new PassThrough({ highWaterMark: Number.MAX_SAFE_INTEGER });
  let pieces: Buffer[] = [];
  let size = 0;
  let long: ReturnType<typeof idReader> | null = null;
  const add = (piece: Buffer) => {
    size += piece.length;
    pieces.push(piece);
    if (size <= LONGEST_LINE) return;
    long ??= idReader();
    for (const one of pieces) long.add(one);
    pieces = [];
  };
  const endLine = () => {
    if (long !== null) tooLong(long.id());
    else if (size > 0) lines.write(Buffer.concat([...pieces, LINE_END]));
    [pieces, size, long] = [[], 0, null];
  };
  input.on("data", (chunk: Buffer | string) => {
    let rest = Buffer.from(chunk);
    for (let at = rest.indexOf(LINE_END); at !== -1; at = rest.indexOf(LINE_END)) {
      add(rest.subarray(0, at));
      endLine();
      rest = rest.subarray(at + 1);
    }
    add(rest);
  });
  input.once("end", () => {
    endLine();
    ended();
  });
  return lines;
}

const LINE_END = Buffer.from("\n");
const [QUOTE, BACKSLASH, COMMA] = Buffer.from('"\\,');
const OPENING = new Set(Buffer.from("{["));
const CLOSING = new Set(Buffer.from("}]"));
const LONGEST_ID = 300;

/** Finds the member `id` of an object of which only pieces are there at once. */
function idReader() {
  let [depth, isQuoted, isEscaped] = [0, false, false];
  let member = "";
  let id: string | number | null = null;
  const endMember = () => {
    id ??= idIn(Buffer.from(member.replace(/^\s*\{/, ""), "latin1").toString());
    member = "";
  };
  const read = (byte: number) => {
    if (isEscaped) isEscaped = false;
    else if (isQuoted) [isEscaped, isQuoted] = [byte === BACKSLASH, byte !== QUOTE];
    else if (byte === QUOTE) isQuoted = true;
    else if (OPENING.has(byte)) depth++;
    else if (CLOSING.has(byte) && depth-- === 1) endMember();
    else if (byte === COMMA && depth === 1) return endMember();
    if (depth === 1 && member.length < LONGEST_ID) member += String.fromCharCode(byte);
  };
  return { add: (piece: Buffer) => piece.forEach(read), id: () => id };
}

function idIn(member: string): string | number | null {
  try {
    const { id } = JSON.parse(`{${member}}`) as { readonly id?: unknown };
    return typeof id === "string" || typeof id === "number" ? id : null;
  } catch {
    return null;
  }
}
