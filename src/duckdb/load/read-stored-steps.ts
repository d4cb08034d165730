import { StoreError } from "../../errors.ts";
import { parseCallRecord } from "../../ingest/record/call-record.ts";
import { createCallReading, type CallReading } from "../../ingest/record/call-reading.ts";
import { withWholeStep } from "../../ingest/texts/whole-step.ts";
import type { Conventions } from "../../model/conventions.ts";
import type { FileSession, FileStore } from "../../store/session.ts";
import { constant, sql } from "../../store/sql.ts";
import { wholeText } from "../../texts/whole-texts.ts";
import { writeSteps } from "./write-calls.ts";

const CALLS_AT_ONCE = 2000;

/**
 * Reads what the calls of a file tell of steps that was made before these had a table. Throws `StoreError` where the
 * file is opened to be read only.
 */
export async function readStoredSteps(
  store: FileStore,
  path: string,
  conventions: Conventions,
  readOnly: boolean,
): Promise<void> {
  const [found] = await store.read((session) => session.rows(sql`SELECT to_key FROM unread_calls`));
  if (found === undefined) return;
  if (readOnly) {
    const message = `${path}: its migration did not end; open it once without readOnly`;
    throw new StoreError("old_database", message);
  }
  await store.write(async (session) => {
    const reading = createCallReading(conventions, session.mark ?? null);
    for (let from = 0; from <= Number(found[0]); from += CALLS_AT_ONCE)
      await readRange(session, reading, from);
    await session.run(sql`DELETE FROM unread_calls`);
  });
}

async function readRange(session: FileSession, reading: CallReading, from: number): Promise<void> {
  const records = await session.rows(sql`SELECT call_key, record FROM calls
    WHERE call_key >= ${constant(from)} AND call_key < ${constant(from + CALLS_AT_ONCE)} AND NOT hidden`);
  const calls = [];
  for (const [key, record] of records) {
    const parsed = parseCallRecord(String(record), reading);
    const { call } = await withWholeStep(parsed, reading, (one) => wholeText(session, one));
    calls.push({ key: Number(key), call });
  }
  await writeSteps(session, calls);
}
