import { encodedLength, encodeRows } from "../payload/encode.ts";
import type { LeftOut, PayloadRows } from "../payload/payload-rows.ts";
import type { ReportRows } from "./read-rows.ts";
import { shortDigests } from "./short-digests.ts";

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
  WHOLE,
  { inputs: "whole", digests: "start" },
  { inputs: "line", digests: "start" },
];
const LEAST: Kept = { inputs: "none", digests: "start" };

const ATTEMPTS = 8;
/** How full the file is at least, where more outputs would fit. */
const FULL = 0.96;
/** Room for what the rate does not tell. */
const SURE = 0.985;
/** Bytes of the file for each byte of an output, before the first attempt has measured it. */
const FIRST_RATE = 0.22;
/** Outputs are read until they are this many times as long as the file may be. */
const MOST_OUTPUTS = 10;

/** Packs the rows of a report. */
export class RowPacker {
  readonly #read: ReportRows;
  #starts: readonly string[] | null = null;

  constructor(read: ReportRows) {
    this.#read = read;
  }

  /** Everything, of whatever size. */
  async all(): Promise<FittedRows> {
    const { count, outputs } = this.#read;
    await outputs.read(count);
    return this.#packed(count, WHOLE);
  }

  /** Without outputs under this many bytes, if leaving out what may be left out is enough. */
  async fitBare(most: number): Promise<FittedRows> {
    const { form } = this.#read.inputs;
    for (const kept of LESS) {
      if (form !== "whole" && kept.inputs !== form) continue;
      const packed = await this.#pack(0, kept, most);
      if (packed !== null) return packed;
    }
    return this.#packed(0, LEAST);
  }

  /** With the outputs of as many rows as stay under this many bytes. */
  async fit(most: number): Promise<FittedRows> {
    const bare = await this.fitBare(most);
    return bare.left.inputs === "whole" ? this.#addOutputs(bare, most) : bare;
  }

  /**
   * Comes closer with each attempt: a count of rows that fits, and one that does not, are known. Attempts are measured alone: with the texts
   * of two of them, and outputs as they are, a report took twice the memory.
   */
  async #addOutputs(bare: FittedRows, most: number): Promise<FittedRows> {
    const { outputs, count: rows } = this.#read;
    let best = { count: 0, length: bare.text.length };
    let rate = FIRST_RATE;
    let above = Infinity;
    for (let i = 0; i < ATTEMPTS && best.length < most * FULL; i++) {
      const bytes = Math.min((most * SURE - bare.text.length) / rate, MOST_OUTPUTS * most);
      await outputs.read(best.count + 1, bytes);
      if (outputs.isComplete) above = Math.min(above, rows + 1);
      if (above - best.count <= 1) break;
      const room = outputs.sums.filter((sum) => sum <= bytes).length;
      const count = Math.min(above - 1, Math.max(best.count + 1, room));
      const length = await encodedLength(this.#columns(count, this.#left(count, bare.left)));
      rate = (length - bare.text.length) / (outputs.sums[count - 1] ?? 1);
      if (length <= most) best = { count, length };
      else above = count;
    }
    await outputs.close();
    return best.count === 0 ? bare : this.#packed(best.count, bare.left);
  }

  async #packed(outputs: number, kept: Kept): Promise<FittedRows> {
    const packed = await this.#pack(outputs, kept, Infinity);
    if (packed === null) throw new RangeError("rows are longer than any text");
    return packed;
  }

  /** With the outputs of this many rows; null where that is longer than `most`. */
  async #pack(outputs: number, kept: Kept, most: number): Promise<FittedRows | null> {
    const left = this.#left(outputs, kept);
    const text = await encodeRows(this.#columns(outputs, left), most);
    return text === null ? null : { text, rows: this.#read.count, withOutputs: outputs, left };
  }

  #left(outputs: number, { inputs, digests }: Kept): LeftOut {
    const { count, total } = this.#read;
    const shown = outputs === 0 ? "none" : outputs < count ? "some" : "all-there";
    return { outputs: shown, inputs, digests, rowsNotHere: total - count };
  }

  #columns(outputs: number, left: LeftOut): PayloadRows {
    const { evaluations, dimensions, count, digests, inputs, values, outputs: own } = this.#read;
    return {
      evaluations,
      dimensions,
      rowCount: count,
      left,
      digests: left.digests === "start" ? (this.#starts ??= shortDigests(digests)) : digests,
      inputs: inputs.in(left.inputs),
      ...values.columns(),
      outputs: own.of(outputs),
    };
  }
}
