import { promisify } from "node:util";
import { deflate } from "node:zlib";
import type { RecordBatch } from "apache-arrow";
import { parseJson, writeJson } from "../../model/json.ts";
import type { LeftOut } from "../payload/payload-rows.ts";
import { TextStore } from "../payload/text-store.ts";
import { inputLine } from "../rows/input-line.ts";
import { texts } from "./batch-columns.ts";

type Form = LeftOut["inputs"];

/** Compressed on their own, texts take at least this share of the base64 text that they take in a file. */
const SURE = (4 / 3) * 0.9;

/** The inputs of the rows, in the fullest form that may fit into a file: what is sure to be too large is not kept. */
export class KeptInputs {
  readonly #most: number;
  #form: Form = "whole";
  #store: TextStore;
  #rows = 0;
  /** Bytes that were compressed, and what they came to. */
  #measured = 0;
  #packed = 0;

  /** `most`: characters that the rows may take in the file. */
  constructor(rows: number, most: number) {
    this.#most = most;
    this.#store = new TextStore(rows);
  }

  get form(): Form {
    return this.#form;
  }

  async add(batch: RecordBatch): Promise<void> {
    const inputs = texts(batch, "raw_data_row");
    for (let record = 0; record < batch.numRows; record++) {
      const input = inputs(record) ?? NULL_INPUT;
      if (this.#form === "whole") this.#store.add(this.#rows, input);
      else if (this.#form === "line") this.#store.add(this.#rows, lineOf(DECODER.decode(input)));
      this.#rows++;
    }
    while (this.#form !== "none" && (await this.#isTooLarge())) this.#cut();
  }

  /** The texts in this form or a shorter one. */
  in(form: Form): TextStore {
    if (form === "none") return new TextStore(this.#store.count);
    return form === "line" && this.#form === "whole" ? linesOf(this.#store) : this.#store;
  }

  /** Few texts are not worth measuring. */
  async #isTooLarge(): Promise<boolean> {
    if (this.#store.size < 4 * this.#most) return false;
    const added = Buffer.concat([...this.#store.bytes(this.#measured)]);
    this.#packed += (await promisify(deflate)(added)).length;
    this.#measured = this.#store.size;
    return this.#packed * SURE > this.#most;
  }

  #cut(): void {
    const form = this.#form === "whole" ? "line" : "none";
    this.#store = this.in(form);
    this.#form = form;
    this.#measured = this.#packed = 0;
  }
}

const NULL_INPUT = new TextEncoder().encode("null");
const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });

function linesOf(whole: TextStore): TextStore {
  const lines = new TextStore(whole.count);
  let row = 0;
  for (const text of whole.texts()) {
    if (text !== undefined) lines.add(row, lineOf(text));
    row++;
  }
  return lines;
}

function lineOf(input: string): string {
  return writeJson(inputLine(parseJson(input)));
}
