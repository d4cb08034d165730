import { Table, type RecordBatch } from "apache-arrow";
import { EvalcubeError } from "../../errors.ts";

/** Collects all batches in one table. Throws `EvalcubeError` if they have more than `most` bytes. */
export async function collectTable(batches: AsyncIterable<RecordBatch>, most = Infinity): Promise<Table> {
  const collected: RecordBatch[] = [];
  let bytes = 0;
  for await (const batch of batches) {
    bytes += batch.data.byteLength;
    if (bytes > most) {
      throw new EvalcubeError(
        "result_too_large",
        `the result has more than ${most} bytes; select less of it, or read it in batches`,
      );
    }
    collected.push(batch);
  }
  return new Table(collected);
}
