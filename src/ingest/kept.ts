import { parseCallRecord, type CallPart, type NameRank, type ParsedCall } from "./record/call-record.ts";
import type { CallReading } from "./record/call-reading.ts";
import type { ParsedRow } from "./record/dataset-row-record.ts";

/** A record of a call as a database keeps it: as it was sent, or merged. */
export interface KeptCall {
  readonly text: string;
  readonly part: CallPart | null;
  readonly nameRank: NameRank;
}

/** How many records of each kind a database has, by what people call them. */
export type Counts = Readonly<Record<string, number>>;

const COUNTED = ["projects", "calls", "rows", "trials", "scores"];

/** These counts, as a statement has them in this order. */
export function countsOf(found: readonly unknown[] = []): Counts {
  return Object.fromEntries(COUNTED.map((name, i) => [name, Number(found[i] ?? 0)]));
}

/** Calls and dataset rows of a database as they stood at one moment, in the order in which they were stored. */
export interface Kept {
  readonly counts: () => Promise<Counts>;
  readonly calls: () => AsyncIterable<readonly KeptCall[]>;
  readonly rows: () => AsyncIterable<readonly ParsedRow[]>;
}

/** Runs `work` over what a database keeps. */
export type Keep = <T>(work: (kept: Kept) => Promise<T>, signal?: AbortSignal) => Promise<T>;

/** Reads a record that was checked when it was stored. */
export function parseKept({ text, part, nameRank }: KeptCall, reading: CallReading): ParsedCall {
  const record = parseCallRecord(text, reading);
  const isAlone = part === null && record.call === null && !record.deleted;
  // What was merged from an end or a renaming alone still waits for its start.
  return { ...record, nameRank, part: isAlone ? (record.ended ? "end" : "name") : part };
}
