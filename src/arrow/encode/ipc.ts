import {
  AsyncByteQueue,
  RecordBatchFileWriter,
  RecordBatchStreamWriter,
  type RecordBatch,
} from "apache-arrow";

/** Collects the writer's output, so that no more is held than one batch makes. */
class Outbox extends AsyncByteQueue {
  #chunks: Uint8Array[] = [];

  override write(chunk: ArrayBufferView | ArrayBufferLike | string): void {
    if (ArrayBuffer.isView(chunk) && chunk.byteLength > 0) {
      this.#chunks.push(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    }
  }

  take(): Uint8Array[] {
    const taken = this.#chunks;
    this.#chunks = [];
    return taken;
  }
}

/**
 * Encodes record batches in Arrow's IPC format, one batch at a time: as a file, with an index at its end, or as a
 * stream.
 */
export async function* encodeIpc(
  batches: AsyncIterable<RecordBatch>,
  format: "file" | "stream",
): AsyncGenerator<Uint8Array, void, undefined> {
  const outbox = new Outbox();
  const writer = format === "file" ? new RecordBatchFileWriter() : new RecordBatchStreamWriter();
  writer.reset(outbox);
  for await (const batch of batches) {
    writer.write(batch);
    yield* outbox.take();
  }
  writer.finish();
  yield* outbox.take();
}
