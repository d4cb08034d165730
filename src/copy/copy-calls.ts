import { StoreError } from "../errors.ts";
import { noCounts } from "../ingest/counts.ts";
import { parseKept, type Kept } from "../ingest/kept.ts";
import { createCallReading, type CallReading } from "../ingest/record/call-reading.ts";
import type { StorableRecord, Writer, Writers } from "../ingest/writer.ts";
import type { Conventions } from "../model/conventions.ts";
import { createTurnTaker } from "../model/turns.ts";

/** Says how many records were written so far. */
type OnWritten = (records: number) => void;

const BATCH = { records: 4000, characters: 4 * 1024 * 1024 };

/** Writes dataset rows and calls as one load: all of it is stored, or nothing. */
export async function copyCalls(
  kept: Kept,
  writers: Writers,
  conventions: Conventions,
  onWritten: OnWritten,
  signal: AbortSignal | undefined,
): Promise<void> {
  await writers.inTurn((write) =>
    write(async (writer) => {
      try {
        await writeAll(writer, recordsOf(kept, createCallReading(conventions)), onWritten, signal);
        await writer.finish();
      } finally {
        await writer.stop();
      }
    }, signal),
  );
}

async function writeAll(
  writer: Writer,
  batches: AsyncIterable<readonly StorableRecord[]>,
  onWritten: OnWritten,
  signal: AbortSignal | undefined,
): Promise<void> {
  const counts = noCounts();
  let written = 0;
  for await (const batch of batches) {
    signal?.throwIfAborted();
    if (written === 0) await writer.becomesLarge();
    const outcomes = await writer.write(
      batch,
      batch.map(() => counts),
    );
    const refused = outcomes.find((outcome) => typeof outcome !== "string");
    if (refused !== undefined)
      throw new StoreError("damaged_database", `a stored call cannot be read: ${refused.message}`, {
        cause: refused,
      });
    await writer.endBatch();
    written += batch.length;
    onWritten(written);
  }
}

/** Dataset rows, then calls, in batches like those of any load. */
async function* recordsOf(kept: Kept, reading: CallReading): AsyncGenerator<readonly StorableRecord[]> {
  const turns = createTurnTaker();
  let batch: StorableRecord[] = [];
  let characters = 0;
  const isFull = () => batch.length >= BATCH.records || characters >= BATCH.characters;
  const take = () => {
    const taken = batch;
    [batch, characters] = [[], 0];
    return taken;
  };
  for await (const rows of kept.rows())
    for (const row of rows) {
      batch.push(row);
      characters += row.val.length;
      if (isFull()) yield take();
    }
  for await (const calls of kept.calls())
    for (const call of calls) {
      if (turns.shouldYield()) await turns.next();
      batch.push(parseKept(call, reading));
      characters += call.text.length;
      if (isFull()) yield take();
    }
  if (batch.length > 0) yield take();
}
