import { StoreError } from "../errors.ts";
import type { CallRecord } from "../ingest/record/sent-records.ts";

type Write = (records: readonly CallRecord[]) => Promise<unknown>;

/** Writes of records, several at a time as one. */
export interface Gathering {
  /** Resolves when the records are durable; rejects as the write behind it does. */
  readonly write: Write;
  /** Writes now what waits for others. */
  readonly hurry: () => void;
}

interface Member {
  readonly records: readonly CallRecord[];
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/** What one group holds; it is written at once. */
const GROUP_RECORDS = 10_000;

/**
 * Lets records wait up to `delayMs` milliseconds for others, and writes them as one load: a transaction costs as much as
 * hundreds of records. Whoever dies meanwhile loses what waits. 0 writes everything at once.
 */
export function createGathering(write: Write, delayMs: number): Gathering {
  if (delayMs === 0) return { write, hurry: () => undefined };
  let waiting: Member[] = [];
  let records = 0;
  let timer: NodeJS.Timeout | undefined;
  const hurry = () => {
    clearTimeout(timer);
    timer = undefined;
    const group = waiting;
    waiting = [];
    records = 0;
    if (group.length > 0) void writeGroup(write, group);
  };
  return {
    hurry,
    write: (added) =>
      new Promise<void>((resolve, reject) => {
        waiting.push({ records: added, resolve, reject });
        records += added.length;
        if (records >= GROUP_RECORDS) hurry();
        else timer ??= setTimeout(hurry, delayMs);
      }),
  };
}

/** Where a group is refused for its content, its members are written one by one, so that only the refused one is. */
async function writeGroup(write: Write, group: readonly Member[]): Promise<void> {
  try {
    await write(group.flatMap((member) => member.records));
  } catch (error) {
    if (error instanceof StoreError || group.length === 1) for (const { reject } of group) reject(error);
    else for (const member of group) await writeGroup(write, [member]);
    return;
  }
  for (const { resolve } of group) resolve();
}
