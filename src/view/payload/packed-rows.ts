import { unpackNumbers } from "./number-column.ts";
import type { PayloadHeader } from "./payload-rows.ts";
import { unpackTexts, type TextColumn } from "./text-column.ts";
import { unpackTrials, type TrialColumn } from "./trial-column.ts";

/** The rows of a report in memory. Trials are counted in the order row, evaluation, trial. */
export interface PackedRows {
  readonly header: PayloadHeader;
  readonly digests: TextColumn;
  /** JSON texts. */
  readonly inputs: TextColumn;
  /** The first trial of row r in evaluation e stands at `r * evaluations + e`, the end one place later. */
  readonly starts: Uint32Array;
  /** As many as the header has dimensions. */
  readonly dimensions: readonly TrialColumn[];
  readonly latency: TrialColumn;
  readonly tokens: TrialColumn;
  readonly errors: TextColumn;
  /** JSON texts of the scores that are text, by name. */
  readonly texts: TextColumn;
  /** JSON texts. */
  readonly outputs: TextColumn;
}

/** Reads the block that `encodeRows` packs. Throws where it is another one. */
export function unpackRows(block: Uint8Array): PackedRows {
  const size = new DataView(block.buffer, block.byteOffset).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(block.subarray(4, 4 + size))) as PayloadHeader;
  if (header.format !== 1) throw new Error(`rows of format ${String(header.format)} cannot be read`);
  const places = new Map(header.sections.map((one) => [one.name, one]));
  const column = (name: string): Uint8Array => {
    const section = places.get(name);
    if (section === undefined) throw new Error(`the rows have no column ${name}`);
    const start = 4 + size + section.at;
    return block.subarray(start, start + section.bytes);
  };
  return {
    header,
    digests: unpackTexts(column("digests")),
    inputs: unpackTexts(column("inputs")),
    starts: startsOf(unpackNumbers(column("counts"))),
    dimensions: header.dimensions.map((_, i) => unpackTrials(column(`kinds ${i}`), column(`numbers ${i}`))),
    latency: unpackTrials(column("latency known"), column("latency")),
    tokens: unpackTrials(column("tokens known"), column("tokens")),
    errors: unpackTexts(column("errors")),
    texts: unpackTexts(column("texts")),
    outputs: unpackTexts(column("outputs")),
  };
}

function startsOf(counts: Float64Array): Uint32Array {
  const starts = new Uint32Array(counts.length + 1);
  let next = 0;
  counts.forEach((count, i) => {
    starts[i] = next;
    next += count;
  });
  starts[counts.length] = next;
  return starts;
}
