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
 * Stands for a bare NaN in the text of a piece, as a JSON string. Bare infinities become numbers beyond the range of a double.
 */
export const NAN = "\0NaN";

export const BARE_WORDS = {
  N: { rest: "aN", text: Buffer.from(JSON.stringify(NAN)) },
  I: { rest: "nfinity", text: Buffer.from("1e999") },
} as const;
