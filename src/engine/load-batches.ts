import { IngestError } from "../errors.ts";
import { noCounts, type LoadCounts } from "../ingest/counts.ts";
import { textSource, type RecordSource } from "../ingest/formats/record-source.ts";
import type { IngestOptions, IngestResult } from "../ingest/load.ts";
import { InvalidRecord } from "../ingest/record/invalid-record.ts";
import type { LoadResult } from "../ingest/write-loads.ts";

/** Some records of a source, and the place of each in it. */
interface RecordBatch {
  readonly texts: (string | InvalidRecord)[];
  readonly positions: number[];
  /** Bytes of the source that were read. */
  bytes: number;
}

type LoadOne = (source: RecordSource, counts: LoadCounts) => Promise<LoadResult>;

/**
 * Loads a source in batches of at most so many bytes, or of one longer record, each as a whole. The next one is read
 * while one is stored, and none is begun that is not there as a whole, so nobody waits for a source that is slow.
 */
export async function loadInBatches(
  source: RecordSource,
  { mostBytes, onProgress }: Pick<IngestOptions, "onProgress"> & { readonly mostBytes: number },
  load: LoadOne,
): Promise<IngestResult> {
  const batches = batchesOf(source, mostBytes);
  const read = () => {
    const next = batches.next();
    // Where a batch before it fails, nobody asks what became of it.
    next.catch(() => undefined);
    return next;
  };
  let total: LoadResult | null = null;
  let next = read();
  for (let one = await next; one.done !== true; one = await next) {
    next = read();
    total = await loadBatch(source.name, one.value, load, total);
    const { bytes } = one.value;
    onProgress?.({ records: total.result.received, bytes, totalBytes: source.totalBytes });
  }
  return (total ?? (await load(textSource([], source.name), noCounts()))).result;
}

async function loadBatch(
  name: string,
  { texts, positions }: RecordBatch,
  load: LoadOne,
  before: LoadResult | null,
): Promise<LoadResult> {
  const placeOf = (position: number) => positions[position - 1] ?? position;
  try {
    const { result, counts } = await load(textSource(texts, name), before?.counts ?? noCounts());
    const rejected = result.rejected.map((one) => ({ ...one, position: placeOf(one.position) }));
    const placed = { ...result, rejected };
    return { result: before === null ? placed : addResults(before.result, placed), counts };
  } catch (error) {
    if (!(error instanceof IngestError) || !(error.cause instanceof InvalidRecord)) throw error;
    const { cause, path, position } = error;
    throw new IngestError(name, placeOf(position), path, cause.reason, { cause });
  }
}

async function* batchesOf(
  { groups }: RecordSource,
  mostBytes: number,
): AsyncGenerator<RecordBatch, undefined> {
  let batch: RecordBatch = { texts: [], positions: [], bytes: 0 };
  let size = 0;
  for await (const { records, bytes: read } of groups) {
    for (const { text, bytes, position } of records) {
      const length = bytes?.length ?? Buffer.byteLength(typeof text === "string" ? text : "");
      if (size + length > mostBytes && batch.texts.length > 0) {
        yield batch;
        batch = { texts: [], positions: [], bytes: 0 };
        size = 0;
      }
      batch.texts.push(text);
      batch.positions.push(position);
      batch.bytes = read;
      size += length;
    }
  }
  if (batch.texts.length > 0) yield batch;
}

/** The sum of both; the counts of calls of `b` include those of `a`. */
export function addResults(a: IngestResult, b: IngestResult): IngestResult {
  return {
    ...b,
    received: a.received + b.received,
    stored: a.stored + b.stored,
    unchanged: a.unchanged + b.unchanged,
    rejected: [...a.rejected, ...b.rejected],
    unknown_members: addCounts(a.unknown_members, b.unknown_members),
    epoch_times: addCounts(a.epoch_times, b.epoch_times),
  };
}

export function addCounts(a: Readonly<Record<string, number>>, b: Readonly<Record<string, number>>) {
  const counts = new Map(Object.entries(a));
  for (const [name, count] of Object.entries(b)) counts.set(name, (counts.get(name) ?? 0) + count);
  return Object.fromEntries(counts);
}
