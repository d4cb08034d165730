/** A value of one trial; an empty text where there is none. */
export type PayloadValue = number | boolean | null | "";

/** JSON texts, each with a line end behind it, in pieces; an empty line where there is none. */
export type Lines = Iterable<string | Uint8Array>;

/** The rows of a report, in its order. */
export interface PayloadRows extends PayloadHead {
  readonly digests: readonly string[];
  readonly inputs: Lines;
  /** Trials of each row in each evaluation. All that follows has one entry a trial, in the order row, evaluation, trial. */
  readonly counts: readonly number[];
  readonly latency: readonly PayloadValue[];
  readonly tokens: readonly PayloadValue[];
  readonly errors: Lines;
  /** Objects of the scores that are text, by name. */
  readonly texts: Lines;
  readonly outputs: Lines;
  /** By dimension. */
  readonly scores: readonly (readonly PayloadValue[])[];
}

/** What is known of all rows. */
interface PayloadHead {
  /** Ids of the evaluations, in the order of the page. */
  readonly evaluations: readonly string[];
  readonly dimensions: readonly PayloadDimension[];
  readonly rowCount: number;
  readonly left: LeftOut;
}

/** The first text of a block. */
export interface PayloadHeader extends PayloadHead {
  readonly format: 1;
}

export interface PayloadDimension {
  /** `scorer` or `scorer.path`. */
  readonly name: string;
  /** Whether its values are true or false. */
  readonly binary: boolean;
}

/** What the report was too large for. */
export interface LeftOut {
  /** Whether the outputs of all rows are there, of some, or of none. */
  readonly outputs: "none" | "some" | "all-there";
  /** Inputs as they are, as one line of text each, or not at all. */
  readonly inputs: "whole" | "line" | "none";
  /** Digests as they are, or as much of each as tells it from the others. */
  readonly digests: "whole" | "start";
  /** Rows that the report does not hold. */
  readonly rowsNotHere: number;
}

/** The byte behind each column of a block: JSON has this character as an escape only. */
export const SEPARATOR = 0x1e;

/** The byte behind each text of a column. */
export const LINE_END = 0x0a;

/** Texts to a piece. */
const PIECE = 4096;

/** JSON texts without line ends, empty where there is none, as lines. */
export function* linesOf(texts: readonly string[]): Generator<string> {
  for (let at = 0; at < texts.length; at += PIECE) yield `${texts.slice(at, at + PIECE).join("\n")}\n`;
}
