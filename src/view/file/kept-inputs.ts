import type { RecordBatch } from "apache-arrow";
import { parseJson, writeJson } from "../../model/json.ts";
import { linesOf, type LeftOut, type Lines } from "../payload/payload-rows.ts";
import { inputLine } from "../rows/input-line.ts";
import { texts } from "./batch-columns.ts";

type Form = LeftOut["inputs"];

/** Texts this many times as long as the file may be do not fit however they are compressed. */
const SURE = 40;

/** The inputs of the rows, in the fullest form that may fit into a file: what is sure to be too large is not kept. */
export class KeptInputs {
  readonly #most: number;
  #form: Form = "whole";
  #kept: string[] = [];
  #size = 0;

  /** `most`: characters that the rows may take in the file. */
  constructor(most: number) {
    this.#most = most;
  }

  get form(): Form {
    return this.#form;
  }

  add(batch: RecordBatch): void {
    const inputs = texts(batch, "raw_data_row");
    for (let record = 0; record < batch.numRows && this.#form !== "none"; record++) {
      const input = DECODER.decode(inputs(record) ?? NULL_INPUT).replaceAll("\n", " ");
      this.#keep(this.#form === "whole" ? input : lineOf(input));
      if (this.#size > SURE * this.#most) this.#cut();
    }
  }

  /** The texts in this form or a shorter one. */
  in(form: Form): Lines {
    if (form === "none" || this.#form === "none") return [];
    return linesOf(form === "line" && this.#form === "whole" ? this.#kept.map(lineOf) : this.#kept);
  }

  #keep(text: string): void {
    this.#kept.push(text);
    this.#size += text.length;
  }

  #cut(): void {
    const whole = this.#form === "whole" ? this.#kept : [];
    this.#form = this.#form === "whole" ? "line" : "none";
    this.#kept = [];
    this.#size = 0;
    for (const text of whole) this.#keep(lineOf(text));
  }
}

const NULL_INPUT = new TextEncoder().encode("null");
const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });

function lineOf(input: string): string {
  return writeJson(inputLine(parseJson(input)));
}
