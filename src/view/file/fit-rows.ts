import { encodeRows } from "../payload/encode.ts";
import type { LeftOut, PayloadRow } from "../payload/payload-rows.ts";
import { inputLine } from "../rows/input-line.ts";
import { shortDigests } from "./short-digests.ts";
import { withOutputs, type ReportRows } from "./read-rows.ts";

/** The rows of a report as one text, and what they hold. */
export interface FittedRows {
  readonly text: string;
  readonly rows: number;
  /** Rows with outputs. */
  readonly withOutputs: number;
  readonly left: LeftOut;
}

type Kept = Pick<LeftOut, "inputs" | "digests">;

const WHOLE: Kept = { inputs: "whole", digests: "whole" };
/** What is left out, the least first, where a file is too large without any output. */
const LESS: readonly Kept[] = [
  { inputs: "whole", digests: "start" },
  { inputs: "line", digests: "start" },
  { inputs: "none", digests: "start" },
];

const ATTEMPTS = 8;
/** How full the file is at least, where more outputs would fit. */
const FULL = 0.96;
/** Bytes of the file for each character of an output, before the first attempt has measured it. */
const FIRST_RATE = 0.22;

/** Packs the rows of a report. */
export class RowPacker {
  readonly #evaluations: readonly string[];
  readonly #read: ReportRows;
  #short: readonly string[] | null = null;

  constructor(evaluations: readonly string[], read: ReportRows) {
    this.#evaluations = evaluations;
    this.#read = read;
  }

  /** With the outputs of this many rows. */
  async pack(outputs: number, kept: Kept = WHOLE): Promise<FittedRows> {
    const { rows, scores, total, outputs: known } = this.#read;
    const left: LeftOut = {
      outputs: outputs === 0 ? "none" : outputs < rows.length ? "some" : "all-there",
      ...kept,
      rowsNotHere: total - rows.length,
    };
    const digests = kept.digests === "start" ? this.#starts() : null;
    const packed = rows.map((row, i) => {
      const cut = withInput({ ...row, digest: digests?.[i] ?? row.digest }, kept.inputs);
      const own = known[i];
      return i < outputs && own !== undefined ? withOutputs(cut, own) : cut;
    });
    const dimensions = scores.map(({ name, binary }) => ({ name, binary }));
    const text = await encodeRows({ evaluations: this.#evaluations, dimensions, rows: packed, left });
    return { text, rows: rows.length, withOutputs: outputs, left };
  }

  /** With the outputs of as many rows as stay under this many bytes; inputs are cut first where they alone are larger. */
  async fit(most: number): Promise<FittedRows> {
    let best = await this.pack(0);
    for (const kept of LESS) if (best.text.length > most) best = await this.pack(0, kept);
    return best.text.length > most || best.left.inputs !== "whole" ? best : this.#addOutputs(best, most);
  }

  #starts(): readonly string[] {
    return (this.#short ??= shortDigests(this.#read.rows.map(({ digest }) => digest)));
  }

  /** Comes closer with each attempt: a count of rows that fits, and one that does not, are known. */
  async #addOutputs(none: FittedRows, most: number): Promise<FittedRows> {
    const sums = runningSums(this.#read.lengths);
    let best = none;
    const { inputs, digests } = none.left;
    let rate = FIRST_RATE;
    let above = sums.length + 1;
    for (let i = 0; i < ATTEMPTS && above - best.withOutputs > 1; i++) {
      if (best.text.length >= most * FULL) break;
      const room = sums.filter((sum) => none.text.length + sum * rate <= most * SURE).length;
      const count = Math.min(above - 1, Math.max(best.withOutputs + 1, room));
      const packed = await this.pack(count, { inputs, digests });
      rate = (packed.text.length - none.text.length) / (sums[count - 1] ?? 1);
      if (packed.text.length <= most) best = packed;
      else above = count;
    }
    return best;
  }
}

/** Room for what the rate does not tell. */
const SURE = 0.985;

function withInput(row: PayloadRow, inputs: Kept["inputs"]): PayloadRow {
  if (inputs === "whole" || row.input === undefined) return row;
  return { ...row, input: inputs === "line" ? inputLine(row.input) : undefined };
}

function runningSums(lengths: readonly number[]): number[] {
  let sum = 0;
  return lengths.map((length) => (sum += length));
}
