import { ArrowFault } from "../../../../arrow/arrow-fault.ts";
import { checkBuffers } from "../../../../arrow/decode/check-buffers.ts";
import { jsonReader, nameOf } from "../../../../arrow/decode/json-texts.ts";
import { readBatches, type IpcBatch } from "../../../../arrow/ipc/batches.ts";
import { readParts } from "../../../../arrow/ipc/messages.ts";
import { UnwritableJson } from "../../../../model/json.ts";
import { SourceFault } from "../../../read/fault.ts";
import type { SourceFile } from "../../../read/source-file.ts";

/** The records of an Arrow IPC file or stream as JSON texts. */
export async function* arrowTexts(file: SourceFile): AsyncGenerator<string> {
  const bytes = {
    size: file.size,
    // Readers of Arrow want numbers at addresses that are multiples of 8; a new array begins at one.
    read: async (offset: number, length: number) => new Uint8Array(await file.read(offset, length)),
  };
  try {
    for await (const batch of readBatches(readParts(bytes))) yield* batchTexts(batch);
  } catch (error) {
    if (!(error instanceof ArrowFault || error instanceof UnwritableJson)) throw error;
    throw new SourceFault("invalid", null, `cannot be read as Arrow: ${error.message}`, { cause: error });
  }
}

function* batchTexts({ fields, columns, length }: IpcBatch): Generator<string> {
  if (length === 0) return;
  const readers = fields.map((field, i) => {
    const data = columns[i];
    if (data === undefined || data.length < length)
      throw new ArrowFault(`column ${nameOf(field)}: has fewer values than there are records`);
    checkBuffers(data, nameOf(field));
    return { label: JSON.stringify(nameOf(field).toWellFormed()), read: jsonReader(data, field) };
  });
  for (let i = 0; i < length; i++)
    yield `{${readers.map(({ label, read }) => `${label}:${textOrNull(read, i)}`).join(",")}}`;
}

/** NaN and infinities are no values. */
function textOrNull(read: (i: number) => string, i: number): string {
  try {
    return read(i);
  } catch (error) {
    if (error instanceof UnwritableJson && /NaN|Infinity/.test(error.message)) return "null";
    throw error;
  }
}
