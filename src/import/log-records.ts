import type { ReadContext } from "./format.ts";
import { SourceFault } from "./read/fault.ts";
import type { LogRecord } from "./translate/log-parts.ts";
import { recordText } from "./translate/clean.ts";
import type { RecordGroup, RecordSource, SourceRecord } from "../ingest/formats/record-source.ts";
import { createCallReading } from "../ingest/record/call-reading.ts";
import { missingMember, parseCallRecord } from "../ingest/record/call-record.ts";
import { parseDatasetRow } from "../ingest/record/dataset-row-record.ts";
import { InvalidRecord } from "../ingest/record/invalid-record.ts";
import type { Writer, Writers } from "../ingest/writer.ts";
import type { Conventions } from "../model/conventions.ts";

/** What records are made of is let go of with each group. */
const GROUP_RECORDS = 256;
const GROUP_CHARACTERS = 256 * 1024;

/**
 * The records of a log as a source that can be loaded; `counted` has the bytes of it that were read so far. `accept` is
 * called when all is read, and may throw.
 */
export function logRecords(
  records: AsyncIterable<readonly LogRecord[]>,
  name: string,
  counted: { readonly bytes: number },
  accept: () => void,
): RecordSource {
  async function* groups(): AsyncGenerator<RecordGroup> {
    let group: SourceRecord[] = [];
    let position = 0;
    let characters = 0;
    for await (const some of records) {
      for (const { kind, record, text } of some) {
        const written = text === undefined ? recordText(record) : { text };
        characters += written.text.length;
        const bytes = Buffer.from(written.text);
        group.push({ position: ++position, ...written, bytes, isRow: kind === "rows" });
      }
      if (group.length < GROUP_RECORDS && characters < GROUP_CHARACTERS) continue;
      yield { records: group, bytes: counted.bytes };
      group = [];
      characters = 0;
    }
    accept();
    if (group.length > 0) yield { records: group, bytes: counted.bytes };
  }
  // A log is read more than once.
  return { name, totalBytes: null, groups: groups() };
}

/** A check of records that were not made here. Throws {@link SourceFault}. */
export function recordChecker(conventions: Conventions): ReadContext["checkRecord"] {
  const reading = createCallReading(conventions);
  return (text, kind) => {
    try {
      if (kind === "row") {
        parseDatasetRow(text);
        return;
      }
      const missing = missingMember(parseCallRecord(text, reading));
      if (missing !== null) throw new InvalidRecord([missing], "is required");
    } catch (error) {
      if (!(error instanceof InvalidRecord)) throw error;
      const place = error.path.length === 0 ? null : error.path.join(".");
      throw new SourceFault("invalid", place, error.reason, { cause: error });
    }
  };
}

/** Writers of a dry run: what they are given is read and checked as in any load, and goes nowhere. */
export function storingNothing(): Writers {
  const writer: Writer = {
    write: (batch) => Promise.resolve(batch.map(() => "unchanged")),
    endBatch: done,
    becomesLarge: done,
    finish: done,
    stop: done,
    isEvaluation: () => false,
  };
  return {
    closing: new AbortController().signal,
    inTurn: (turn) => turn((work) => work(writer)),
    rolledBack: () => undefined,
  };
}

async function done(): Promise<void> {
  // There is nothing to write.
}
