import { InvalidRecord } from "./invalid-record.ts";

/** Bytes of the longest record: it is parsed and merged as one string, and held several times meanwhile. */
const MOST_BYTES = 100e6;

/** A unit of a string has at most so many bytes of UTF-8. */
const MOST_BYTES_A_UNIT = 3;

/** Refuses a record of more than 100 MB. Throws {@link InvalidRecord}. */
export function checkSize(text: string): void {
  if (text.length * MOST_BYTES_A_UNIT <= MOST_BYTES) return;
  const bytes = Buffer.byteLength(text.trim());
  if (bytes > MOST_BYTES) throw new InvalidRecord([], sizeReason(String(bytes / 1e6)));
}

/** Why a record of so many MB is refused. */
export function sizeReason(megabytes: string): string {
  return `has ${megabytes} MB of JSON; a call or dataset row may have at most ${MOST_BYTES / 1e6} MB`;
}
