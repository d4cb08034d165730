import type { RecordBatch } from "apache-arrow";
import type { ColumnsPart } from "../../engine/table/columns.ts";
import { TextStore } from "../payload/text-store.ts";
import { integers, texts } from "./batch-columns.ts";

/** The outputs of the first rows, read only as far as somebody asks for them. */
export class KeptOutputs {
  readonly store: TextStore;
  /** Bytes of the outputs up to each row, of the rows that were read. */
  readonly sums: number[] = [];
  readonly #parts: AsyncIterator<ColumnsPart>;
  readonly #rows: number;
  #trials = 0;

  /** `parts` go on with the outputs of all trials, in order. */
  constructor(rows: number, trials: number, parts: AsyncIterator<ColumnsPart>) {
    this.#rows = rows;
    this.#parts = parts;
    this.store = new TextStore(trials);
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
    for (let record = 0; record < batch.numRows; record++) {
      this.#closeRows(rows[record] ?? 0);
      this.store.add(this.#trials++, outputs(record) ?? NULL_OUTPUT);
    }
  }

  /** No more outputs of the rows before this one will come. */
  #closeRows(row: number): void {
    while (this.sums.length < row) this.sums.push(this.store.size);
  }
}

const NULL_OUTPUT = new TextEncoder().encode("null");
