import type { RecordBatch } from "apache-arrow";
import type { ColumnsPart } from "../../engine/table/columns.ts";
import { LINE_END, type Lines } from "../payload/payload-rows.ts";
import { integers, texts } from "./batch-columns.ts";

/** The outputs of the first rows, read only as far as somebody asks for them. */
export class KeptOutputs {
  /** Lines, as bytes: outputs may be long. */
  readonly #pieces: Uint8Array[] = [];
  #size = 0;
  /** Bytes of the lines up to each row, of the rows that were read. */
  readonly sums: number[] = [];
  readonly #parts: AsyncIterator<ColumnsPart>;
  readonly #rows: number;

  /** `parts` go on with the outputs of all trials, in order. */
  constructor(rows: number, parts: AsyncIterator<ColumnsPart>) {
    this.#rows = rows;
    this.#parts = parts;
  }

  /** The outputs of the first rows. */
  *of(rows: number): Lines {
    let left = this.sums[rows - 1] ?? 0;
    for (const piece of this.#pieces) {
      if (left <= 0) return;
      yield piece.subarray(0, left);
      left -= piece.length;
    }
  }

  /** Reads on until the outputs of the rows before a place are there, and are longer than this many bytes; stops at the last row. */
  async read(rows: number, bytes = Infinity): Promise<void> {
    while (this.sums.length < this.#rows && (this.sums.length < rows || (this.sums.at(-1) ?? 0) <= bytes))
      await this.#readOne();
  }

  /** A function of its own, so that no batch is held while the next one is made. */
  async #readOne(): Promise<void> {
    const { done, value } = await this.#parts.next();
    if (done === true) this.#closeRows(this.#rows);
    else if (value.kind === "outputs") this.add(value.batch);
  }

  /** Reads no more, and lets go of what was read ahead. */
  async close(): Promise<void> {
    await this.#parts.return?.();
  }

  get isComplete(): boolean {
    return this.sums.length === this.#rows;
  }

  /** Takes the outputs that come next. */
  add(batch: RecordBatch): void {
    const rows = integers(batch, "row_order");
    const outputs = texts(batch, "model_output");
    const lines: Uint8Array[] = [];
    for (let record = 0; record < batch.numRows; record++) {
      this.#closeRows(rows[record] ?? 0);
      const line = inOneLine(outputs(record) ?? NULL_OUTPUT);
      lines.push(line, LINE_ENDS);
      this.#size += line.length + 1;
    }
    this.#pieces.push(Buffer.concat(lines));
  }

  /** No more outputs of the rows before this one will come. */
  #closeRows(row: number): void {
    while (this.sums.length < row) this.sums.push(this.#size);
  }
}

const NULL_OUTPUT = new TextEncoder().encode("null");
const LINE_ENDS = Uint8Array.of(LINE_END);
const SPACE = 0x20;

/** JSON has line ends only where a space means the same. */
function inOneLine(json: Uint8Array): Uint8Array {
  return json.includes(LINE_END) ? json.map((byte) => (byte === LINE_END ? SPACE : byte)) : json;
}
