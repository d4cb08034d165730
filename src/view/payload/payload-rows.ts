/** The rows of a report, in its order. */
export interface PayloadRows {
  /** Ids of the evaluations, in the order of the page. */
  readonly evaluations: readonly string[];
  readonly dimensions: readonly PayloadDimension[];
  readonly rowCount: number;
  readonly left: LeftOut;
  readonly columns: readonly PayloadColumn[];
}

/** A column of the block, made when it is written. */
export interface PayloadColumn {
  readonly name: string;
  /** Bytes of all parts. */
  readonly size: number;
  readonly parts: () => Iterable<Uint8Array>;
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

/** What a score value of a trial is, as one byte. */
export const KIND = { no: 0, yes: 1, null: 2, nothing: 3, number: 4 } as const;

/** One column within the block. */
export interface Section {
  readonly name: string;
  /** Place of its first byte behind the header. */
  readonly at: number;
  readonly bytes: number;
}

export interface PayloadHeader {
  readonly format: 1;
  readonly evaluations: readonly string[];
  readonly dimensions: readonly PayloadDimension[];
  readonly rowCount: number;
  readonly left: LeftOut;
  readonly sections: readonly Section[];
}
