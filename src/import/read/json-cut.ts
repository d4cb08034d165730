import { SourceFault } from "./fault.ts";

/** What of a JSON document is wanted, and where it is cut. */
export interface JsonCut {
  /** Members by name; one that is not named is kept as it is, unless `others` says otherwise. */
  readonly members?: { readonly [name: string]: JsonCut | "skip" };
  readonly others?: JsonCut | "skip";
  /** Where the value is a list: its elements come one at a time, and the list stays behind empty. */
  readonly elements?: JsonCut;
}

/** A part of a document as JSON text. */
export interface JsonPiece {
  /** Where it was, such as `results.results[14]`; empty for what is left of the whole document. */
  readonly place: string;
  readonly text: Buffer;
  /** Whether bare NaN or infinities were in it; see {@link NAN}. */
  readonly hasNoNumbers: boolean;
}

/**
 * Stands for a bare NaN in the text of a piece, as a JSON string. Bare infinities become numbers beyond the range of a
 * double.
 */
export const NAN = "\0NaN";

export const BARE_WORDS = {
  N: { rest: "aN", text: Buffer.from(JSON.stringify(NAN)) },
  I: { rest: "nfinity", text: Buffer.from("1e999") },
} as const;

/** A larger part of a document is not kept. */
const MAX_BYTES = 256 * 1024 * 1024;

/** Collects the text of one piece. */
export class JsonSink {
  readonly place: string;
  hasNoNumbers = false;
  #parts: Uint8Array[] = [];
  #length = 0;

  constructor(place: string) {
    this.place = place;
  }

  add(part: Uint8Array): void {
    if (part.length === 0) return;
    this.#length += part.length;
    if (this.#length > MAX_BYTES)
      throw new SourceFault("invalid", this.place || null, `is longer than ${MAX_BYTES / 1024 ** 2} MiB`);
    this.#parts.push(part);
  }

  text(): Buffer {
    return Buffer.concat(this.#parts, this.#length);
  }
}
