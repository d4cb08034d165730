import { BATCH, type Batch, type PlacedRecord } from "../../../ingest/read-load.ts";
import type { ParsedRow } from "../../../ingest/record/dataset-row-record.ts";
import { isCall, type StorableRecord } from "../../../ingest/writer.ts";
import type { TurnTaker } from "../../../model/turns.ts";
import { packCall, unpackCall } from "./pack-call.ts";
import {
  buffersOfData,
  createPlainReader,
  createPlainWriter,
  type PlainData,
  type PlainReader,
  type PlainWriter,
} from "./plain-data.ts";

/** A batch as plain data: copies of its records would take longer than to read them. */
export interface PackedBatch {
  readonly length: number;
  readonly characters: number;
  readonly isLast: boolean;
  readonly data: PlainData;
}

interface Packed {
  readonly batch: PackedBatch;
  readonly moved: readonly ArrayBuffer[];
}

/** Packs what is read piece by piece. A batch has as much as one that is not packed. */
export async function* packBatches(
  pieces: AsyncIterable<Batch<StorableRecord>>,
): AsyncGenerator<Packed, void, undefined> {
  const to = createPlainWriter();
  let [length, characters] = [0, 0];
  for await (const piece of pieces) {
    for (const one of piece.records) packRecord(to, one);
    length += piece.records.length;
    characters += piece.characters;
    if (length < BATCH.records && characters < BATCH.characters && !piece.isLast) continue;
    yield taken(to, { length, characters, isLast: piece.isLast });
    [length, characters] = [0, 0];
  }
  if (length > 0) yield taken(to, { length, characters, isLast: true });
}

function taken(to: PlainWriter, batch: Omit<PackedBatch, "data">): Packed {
  const data = to.take();
  return { batch: { ...batch, data }, moved: buffersOfData(data) };
}

function packRecord(to: PlainWriter, { record, position }: PlacedRecord<StorableRecord>): void {
  to.double(position);
  to.integer(Number(isCall(record)));
  if (isCall(record)) packCall(to, record);
  else packRow(to, record);
}

export async function unpackBatch(
  { length, characters, isLast, data }: PackedBatch,
  turns: TurnTaker,
): Promise<Batch<StorableRecord>> {
  const from = createPlainReader(data);
  const records: PlacedRecord<StorableRecord>[] = [];
  for (let i = 0; i < length; i++) {
    if (turns.shouldYield()) await turns.next();
    const position = from.double();
    records.push({ position, record: from.integer() === 1 ? unpackCall(from) : unpackRow(from) });
  }
  return { records, characters, isLast };
}

function packRow(to: PlainWriter, { projectId, digest, val, unknownMembers }: ParsedRow): void {
  to.word(projectId);
  to.text(digest);
  to.text(val);
  to.other(unknownMembers);
}

function unpackRow(from: PlainReader): ParsedRow {
  return {
    projectId: from.word() ?? "",
    digest: from.text(),
    val: from.text(),
    unknownMembers: from.other() as readonly string[],
  };
}
