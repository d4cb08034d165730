import type { IngestError } from "../errors.ts";
import { createTurnTaker, type TurnTaker } from "../model/turns.ts";
import type { Ready } from "../store/group-commit.ts";
import type { LoadCounts } from "./counts.ts";
import { checkColumns } from "./formats/record-columns.ts";
import { ingestError, type RecordSource, type SourceRecord } from "./formats/record-source.ts";
import type { IngestOptions } from "./load.ts";
import type { EpochUnit } from "./record/call-times.ts";
import { InvalidRecord } from "./record/invalid-record.ts";
import { checkSize } from "./record/record-size.ts";
import type { RecordKind } from "./formats/record-kind.ts";
import type { RecordForms } from "./record/call-record.ts";

/** A source to load. */
export interface Load {
  readonly source: RecordSource;
  readonly options: IngestOptions;
  /** Whether it needs a transaction of its own, however small it is. */
  readonly alone: boolean;
  /** What the sources before this one counted, where one caller loads several. */
  readonly counts: LoadCounts;
}

/** What a record of every kind has. */
export interface ParsedRecord {
  readonly unknownMembers: readonly string[];
  readonly epochUnit?: EpochUnit | null;
}

/** A record with its place in its source. */
export interface PlacedRecord<T> {
  readonly record: T;
  readonly position: number;
}

/** Reads the records of one kind. */
export interface RecordReader<T> {
  readonly name: RecordKind;
  /** Throws {@link InvalidRecord}. */
  readonly parse: (text: string, forms: RecordForms & { readonly isRow?: boolean }) => T;
}

/** A load whose first batch is read: all of it, where it is small. */
export interface ReadLoad<T> extends Ready, Load {
  readonly tally: ReadTally;
  readonly first: readonly PlacedRecord<T>[];
  /** The other batches; null where there are none. */
  readonly rest: AsyncGenerator<Batch<T>, void, undefined> | null;
}

/** What was read so far. */
export interface ReadTally {
  received: number;
  readonly rejected: IngestError[];
}

export interface Batch<T> {
  readonly records: readonly PlacedRecord<T>[];
  readonly characters: number;
  readonly isLast: boolean;
}

/** A batch has at least so much, unless it is the last. */
interface BatchSize {
  readonly records: number;
  readonly characters: number;
}

/**
 * Fewer records where they are long: what a batch holds lives until the next one is merged (`bench/profile/load.md`).
 */
export const BATCH: BatchSize = { records: 4000, characters: 2.5 * 1024 * 1024 };

/** Reads the first batch of a load. Throws `IngestError` where a record is refused and none may be. */
export function readLoad<T>(
  load: Load,
  reader: RecordReader<T>,
  turns: TurnTaker = createTurnTaker(),
): Promise<ReadLoad<T>> {
  const tally = noTally();
  return readFirst(load, tally, readBatches(load, reader, tally, turns));
}

/** A load of batches that are read elsewhere, each noted in `tally` before it comes. */
export async function readFirst<T>(
  load: Load,
  tally: ReadTally,
  batches: AsyncGenerator<Batch<T>, void, undefined>,
): Promise<ReadLoad<T>> {
  const { value } = await batches.next();
  const { records: first, characters, isLast } = value ?? NOTHING;
  if (isLast) await batches.return();
  return {
    ...load,
    tally,
    first,
    rest: isLast ? null : batches,
    records: first.length,
    bytes: characters,
    alone: load.alone || !isLast,
  };
}

const NOTHING = { records: [], characters: 0, isLast: true };

export function noTally(): ReadTally {
  return { received: 0, rejected: [] };
}

/** Records a refusal; throws if `onInvalid` is `fail`. */
export function refuse(
  { source, options }: Pick<Load, "source" | "options">,
  rejected: IngestError[],
  position: number,
  error: InvalidRecord,
) {
  const refusal = ingestError(source.name, position, error);
  if (options.onInvalid !== "skip") throw refusal;
  rejected.push(refusal);
}

/** Parses records into batches, in turns, so that the event loop stays free. */
export async function* readBatches<T>(
  load: Pick<Load, "source" | "options">,
  reader: RecordReader<T>,
  tally: ReadTally,
  turns: TurnTaker,
  size: BatchSize = BATCH,
): AsyncGenerator<Batch<T>, void, undefined> {
  const { source, options } = load;
  let records: PlacedRecord<T>[] = [];
  let characters = 0;
  let checked: readonly string[] | undefined;
  for await (const { records: group, bytes, columns } of source.groups) {
    options.signal?.throwIfAborted();
    if (columns !== undefined && columns !== checked)
      checkColumns(reader.name, columns, source.name, tally.received + 1);
    checked = columns;
    for (const one of group) {
      const { position, text } = one;
      tally.received++;
      const record = text instanceof InvalidRecord ? text : tryParse(() => parsed(reader, one, text));
      if (record instanceof InvalidRecord) {
        refuse(load, tally.rejected, position, record);
        continue;
      }
      records.push({ record, position });
      const length = typeof text === "string" ? text.length : 0;
      characters += length;
      if (turns.shouldYield(length)) await turns.next();
      if (records.length < size.records && characters < size.characters) continue;
      yield { records, characters, isLast: false };
      records = [];
      characters = 0;
    }
    options.onProgress?.({ records: tally.received, bytes, totalBytes: source.totalBytes });
  }
  if (records.length > 0) yield { records, characters, isLast: true };
}

function parsed<T>(reader: RecordReader<T>, sent: SourceRecord, text: string): T {
  checkSize(text);
  return reader.parse(text, sent);
}

function tryParse<T>(parse: () => T): T | InvalidRecord {
  try {
    return parse();
  } catch (error) {
    if (error instanceof InvalidRecord) return error;
    if (error instanceof RangeError) return new InvalidRecord([], `is ${error.message}`);
    throw error;
  }
}
