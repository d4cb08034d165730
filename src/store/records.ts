import type { Column, RecordSession, RecordStore } from "./session.ts";

/** Runs `work` when all earlier writes have ended; what it adds is durable when the promise resolves. */
export function writeRecords<T>(
  { records }: RecordStore,
  work: (session: RecordSession) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  return records.inTurn((write) => write(work, signal));
}

/** The texts of one record as columns. */
export function textColumns(record: Readonly<Record<string, string | null>>): Column[] {
  return Object.entries(record).map(([name, value]) => ({ name, type: "VARCHAR", values: [value] }));
}
