import { EvalcubeError } from "../../errors.ts";
import { batchGroups, ipcMemoryGroups, ipcPathGroups, ipcStreamGroups } from "../formats/arrow.ts";
import { isRecordBatch, isTable, type RecordBatchLike, type TableLike } from "../formats/arrow-shapes.ts";
import { ndjsonSource } from "../formats/ndjson.ts";
import { objectSource, type RecordGroup, type RecordSource } from "../formats/record-source.ts";
import { findFiles } from "./find-files.ts";
import { openFile, type FileReaders } from "./formats.ts";

/** NDJSON bytes from a source other than a file. */
export interface NdjsonStream {
  /** The bytes, in pieces of any size. */
  readonly ndjson: AsyncIterable<Uint8Array>;
  /** Name of the source in errors. */
  readonly name: string;
}

/** Arrow data with a name for errors. */
export interface ArrowStream {
  /** A table, record batches, or bytes of Arrow IPC. */
  readonly arrow:
    | TableLike
    | RecordBatchLike
    | Uint8Array
    | Iterable<RecordBatchLike>
    | AsyncIterable<RecordBatchLike | Uint8Array>;
  /** Name of the source in errors. */
  readonly name: string;
}

/**
 * Records to load. A path or paths of NDJSON (plain, gzip or Zstandard), Parquet or Arrow IPC files, of folders with
 * such files, or patterns; NDJSON bytes; a `Table` of apache-arrow, its record batches, or Arrow IPC bytes; or objects,
 * such as `CallRecord` and `DatasetRowRecord`.
 */
export type IngestSource<Item = unknown> =
  | string
  | readonly string[]
  | NdjsonStream
  | ArrowStream
  | TableLike
  | RecordBatchLike
  | Uint8Array
  // Named beside the iterables, since the compiler then says of a list literal what its items lack.
  | readonly Item[]
  | Iterable<Item>
  | AsyncIterable<Item>;

/** Opens the sources that a caller's argument stands for; each is loaded in one transaction. */
export async function openSources(
  parquet: FileReaders["parquet"],
  source: IngestSource,
): Promise<RecordSource[]> {
  if (typeof source === "string") return await pathSources(parquet, [source]);
  if (typeof source !== "object" || source === null) throw invalidSource();
  if ("ndjson" in source && "name" in source) return [ndjsonSource(source.ndjson, source.name, null)];
  if ("arrow" in source && "name" in source) return [memorySource(source.arrow, source.name)];
  if (Array.isArray(source) && source.length > 0 && source.every((item) => typeof item === "string"))
    return await pathSources(parquet, source);
  return [memorySource(source, "records")];
}

function invalidSource(): EvalcubeError {
  return new EvalcubeError(
    "invalid_source",
    "a source is a path, an array of paths, { ndjson, name }, { arrow, name }, an Arrow table, its batches or IPC bytes, or an array or iterable of objects",
  );
}

async function pathSources(
  parquet: FileReaders["parquet"],
  paths: readonly string[],
): Promise<RecordSource[]> {
  const sources: RecordSource[] = [];
  for (const path of paths)
    for (const file of await findFiles(path))
      sources.push(await openFile(file, { parquet, ipc: ipcPathGroups }));
  return sources;
}

function memorySource(source: unknown, name: string): RecordSource {
  const groups = (made: AsyncIterable<RecordGroup>, inMemory: boolean): RecordSource => ({
    name,
    totalBytes: null,
    groups: made,
    inMemory,
  });
  if (source instanceof Uint8Array) return groups(ipcMemoryGroups(source, name), true);
  if (isTable(source)) return groups(batchGroups(each(batchesOf(source)), name), true);
  if (isRecordBatch(source)) return groups(batchGroups(each([source]), name), true);
  if (typeof source !== "object" || source === null) throw invalidSource();
  if (Array.isArray(source) && !isRecordBatch(source[0]) && !(source[0] instanceof Uint8Array))
    return objectSource(source, name);
  if (!(Symbol.iterator in source || Symbol.asyncIterator in source)) throw invalidSource();
  return groups(iterableGroups(source as Iterable<unknown> | AsyncIterable<unknown>, name), false);
}

/** Reads record batches, bytes or objects, depending on the first item. */
async function* iterableGroups(
  items: Iterable<unknown> | AsyncIterable<unknown>,
  name: string,
): AsyncGenerator<RecordGroup> {
  const iterator = each(items);
  const first = await iterator.next();
  async function* all() {
    try {
      if (first.done !== true) yield first.value;
      yield* iterator;
    } finally {
      await iterator.return(undefined);
    }
  }
  if (isRecordBatch(first.value)) yield* batchGroups(only(all(), isRecordBatch, "record batch"), name);
  else if (first.value instanceof Uint8Array)
    yield* ipcStreamGroups(only(all(), isBytes, "piece of bytes"), name);
  else yield* objectSource(all(), name).groups;
}

async function* each<T>(items: Iterable<T> | AsyncIterable<T>): AsyncGenerator<T, undefined> {
  for await (const item of items) yield item;
}

const isBytes = (item: unknown): item is Uint8Array => item instanceof Uint8Array;

async function* only<T>(
  items: AsyncIterable<unknown>,
  is: (item: unknown) => item is T,
  what: string,
): AsyncGenerator<T> {
  let position = 0;
  for await (const item of items) {
    position++;
    if (!is(item))
      throw new EvalcubeError(
        "invalid_source",
        `item ${position} of the source is not a ${what}, unlike the items before it`,
      );
    yield item;
  }
}

/** A table without batches still has its columns. */
function batchesOf({ schema, batches }: TableLike): readonly RecordBatchLike[] {
  return batches.length === 0 ? [{ schema, data: { children: [] }, numRows: 0 }] : batches;
}
