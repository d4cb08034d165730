import { once } from "./once.ts";

/** A value of one trial; an empty text where there is none. */
export type PayloadValue = number | boolean | null | "";

/** What the rows of a report are about. */
export interface PayloadHeader {
  readonly format: 1;
  /** Ids of the evaluations, in the order of the page. */
  readonly evaluations: readonly string[];
  /** Names of the dimensions, `scorer` or `scorer.path`. */
  readonly dimensions: readonly string[];
  readonly rowCount: number;
}

/** What the report was too large for. */
export interface LeftOut {
  /** Whether the outputs of all rows are there, of some, or of none. */
  readonly outputs: "none" | "some" | "all-there";
  /** Inputs as they are, as one line of text each, or not at all. */
  readonly inputs: "whole" | "line" | "none";
  /** Rows that the report does not hold. */
  readonly rowsNotHere: number;
}

/**
 * Columns with a value for each row, each row in each evaluation, or each trial, the last in the order row, evaluation,
 * trial.
 */
export interface PayloadColumns {
  readonly digests: readonly string[];
  /** Trials of each row in each evaluation. */
  readonly counts: readonly number[];
  readonly latency: readonly (number | null)[];
  readonly tokens: readonly (number | null)[];
  /** What each trial failed with. */
  readonly errors: readonly (string | null)[];
  /** The scores of each trial that are text; null where it has none. */
  readonly texts: readonly (readonly (readonly [name: string, text: string])[] | null)[];
}

/**
 * By digest of an edited row the JSON text of what each evaluation has of it; null where one did not run it, or that is
 * left out.
 */
export type EditedInputs = Readonly<Record<string, readonly (string | null)[]>>;

/** The columns in the order in which a report has them, behind the header and before the dimensions. */
export const COLUMNS = ["digests", "counts", "latency", "tokens", "errors", "texts"] as const;

/** The rows of a report in memory. A column is parsed when it is first read. */
export interface PackedRows {
  readonly header: PayloadHeader;
  readonly left: LeftOut;
  readonly columns: { readonly [Name in keyof PayloadColumns]: () => PayloadColumns[Name] };
  /** The first trial of row r in evaluation e stands at `r * evaluations + e`, the end one place later. */
  readonly starts: Uint32Array;
  /** By dimension: a value for each trial. */
  readonly dimensions: readonly (() => readonly PayloadValue[])[];
  readonly edited: () => EditedInputs;
  /** The JSON text of a row's input; undefined where it is left out. */
  readonly input: (row: number) => string | undefined;
  /** The JSON text of a trial's output; undefined where it is left out. */
  readonly output: (trial: number) => string | undefined;
}

/** Reads the text of `packRows`. Rejects where it is another one. */
export async function readPacked(text: string): Promise<PackedRows> {
  const lines = await unpackedLines(text);
  const left = JSON.parse(lines.pop() ?? "") as LeftOut;
  const header = JSON.parse(lines[0] ?? "") as PayloadHeader;
  if (header.format !== 1) throw new Error(`rows of format ${String(header.format)} cannot be read`);
  const parsed = (line: number) => once((): unknown => JSON.parse(lines[line] ?? ""));
  const columns = Object.fromEntries(
    COLUMNS.map((name, i) => [name, parsed(1 + i)]),
  ) as PackedRows["columns"];
  const dimensions = header.dimensions.map((_, i) => parsed(1 + COLUMNS.length + i) as () => PayloadValue[]);
  const edited = 1 + COLUMNS.length + dimensions.length;
  const inputs = edited + 1;
  const outputs = inputs + (left.inputs === "none" ? 0 : header.rowCount);
  return {
    header,
    left,
    columns,
    starts: startsOf(columns.counts()),
    dimensions,
    edited: parsed(edited) as () => EditedInputs,
    input: (row) => (inputs + row < outputs ? lines[inputs + row] : undefined),
    output: (trial) => lines[outputs + trial],
  };
}

/** The lines of a text that `PackedText` made. */
export async function unpackedLines(text: string): Promise<string[]> {
  const packed = new Blob([bytesOf(text.trim())]).stream();
  const block = await new Response(packed.pipeThrough(new DecompressionStream("deflate-raw"))).text();
  return block.split("\n");
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** Where the trials of each row in each evaluation start, and where the last ones end. */
export function startsOf(counts: readonly number[]): Uint32Array {
  const starts = new Uint32Array(counts.length + 1);
  for (const [i, count] of counts.entries()) starts[i + 1] = (starts[i] ?? 0) + count;
  return starts;
}
