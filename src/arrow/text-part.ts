import { EvalcubeError } from "../errors.ts";
import type { ColumnValues } from "../model/columns.ts";
import { memoryOf, type Memory } from "./copy-text.ts";

const MAX_TEXT_BYTES = 0x7fffffff;

/** The texts of a batch, with room for each. */
export interface TextPart extends Memory {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly offsets: Int32Array<ArrayBuffer>;
  readonly validity: Uint8Array<ArrayBuffer> | null;
  readonly nulls: number;
}

/** `lengths`: of each text, -1 for null. */
export function layOut(lengths: Int32Array): TextPart {
  const offsets = new Int32Array(lengths.length + 1);
  let total = 0;
  let nulls = 0;
  for (let i = 0; i < lengths.length; i++) {
    const length = lengths[i] ?? -1;
    if (length < 0) nulls++;
    else total += length;
    offsets[i + 1] = total;
  }
  const memory = textMemory(total);
  return { ...memory, offsets, nulls, validity: nulls === 0 ? null : validityOf(lengths) };
}

export function textMemory(length: number): Memory & { readonly bytes: Uint8Array<ArrayBuffer> } {
  if (length > MAX_TEXT_BYTES) {
    throw new EvalcubeError(
      "result_too_large",
      "a few records have more than 2 GiB of text; leave out the largest",
    );
  }
  const bytes = new Uint8Array(Buffer.allocUnsafeSlow(length).buffer, 0, length);
  return { ...memoryOf(bytes), bytes };
}

function validityOf(lengths: Int32Array): Uint8Array<ArrayBuffer> {
  const bits = new Uint8Array((lengths.length + 7) >> 3);
  for (let i = 0; i < lengths.length; i++) {
    if ((lengths[i] ?? -1) >= 0) bits[i >> 3] = (bits[i >> 3] ?? 0) | (1 << (i & 7));
  }
  return bits;
}

export function columnOf({ offsets, bytes, validity, nulls }: TextPart): ColumnValues {
  return { length: offsets.length - 1, nulls, validity, bytes, offsets, children: [] };
}
