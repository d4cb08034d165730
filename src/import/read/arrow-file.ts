import { ArrowFault } from "../../arrow/arrow-fault.ts";
import { checkBuffers } from "../../arrow/decode/check-buffers.ts";
import { jsonReader, arrowName } from "../../arrow/decode/json-texts.ts";
import { readBatches, type IpcBatch } from "../../arrow/ipc/batches.ts";
import { readParts } from "../../arrow/ipc/messages.ts";
import { UnwritableJson } from "../../model/json.ts";
import { SourceFault } from "./fault.ts";
import type { SourceFile } from "./source-file.ts";

/** Whether these first bytes are those of an Arrow IPC file or stream. */
export function beginsArrow(bytes: Buffer): boolean {
  return /^(ARROW1|\u{ff}{4})/u.test(bytes.subarray(0, 6).toString("latin1"));
}

/** The types of the columns of an Arrow IPC file or stream by their names; none of one that cannot be read. */
export async function arrowColumns(file: SourceFile): Promise<ReadonlyMap<string, string>> {
  try {
    for await (const { fields } of batchesOf(file))
      return new Map(fields.map((field) => [arrowName(field), String(field.type)]));
  } catch (error) {
    if (!(error instanceof ArrowFault)) throw error;
  }
  return new Map();
}

/** The records of an Arrow IPC file or stream as JSON texts. Throws {@link SourceFault}. */
export async function* arrowTexts(file: SourceFile): AsyncGenerator<string> {
  try {
    for await (const batch of batchesOf(file)) yield* batchTexts(batch);
  } catch (error) {
    if (!(error instanceof ArrowFault || error instanceof UnwritableJson)) throw error;
    throw new SourceFault("invalid", null, `cannot be read as Arrow: ${error.message}`, { cause: error });
  }
}

function batchesOf(file: SourceFile): AsyncIterable<IpcBatch> {
  const bytes = {
    size: file.size,
    // Readers of Arrow want numbers at addresses that are multiples of 8; a new array begins at one.
    read: async (offset: number, length: number) => new Uint8Array(await file.read(offset, length)),
  };
  return readBatches(readParts(bytes));
}

function* batchTexts({ fields, columns, length }: IpcBatch): Generator<string> {
  if (length === 0) return;
  const readers = fields.map((field, i) => {
    const data = columns[i];
    if (data === undefined || data.length < length)
      throw new ArrowFault(`column ${arrowName(field)}: has fewer values than there are records`);
    checkBuffers(data, arrowName(field));
    return { label: JSON.stringify(arrowName(field).toWellFormed()), read: jsonReader(data, field) };
  });
  for (let i = 0; i < length; i++)
    yield `{${readers.map(({ label, read }) => `${label}:${textOrNull(read, i)}`).join(",")}}`;
}

/** NaN and infinities stay what they are. */
function textOrNull(read: (i: number) => string, i: number): string {
  try {
    return read(i);
  } catch (error) {
    if (error instanceof UnwritableJson && /NaN|Infinity/.test(error.message)) return "NaN";
    throw error;
  }
}
