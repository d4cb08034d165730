import { appendFile } from "node:fs/promises";
import { performance } from "node:perf_hooks";
import { openAnyCore } from "../engine/engine.ts";
import { openPatiently } from "../engine/open-backend.ts";
import { StoreError } from "../errors.ts";
import type { CallStore } from "../logging/seam.ts";
import { DEFAULT_CONVENTIONS } from "../model/conventions.ts";
import { writeJson } from "../model/json.ts";

/** A place for calls. */
export interface Sink {
  readonly store: CallStore;
  readonly close: () => Promise<void>;
}

/** Limits how long a runner waits for a database. */
export interface Patience {
  /** The result of work of the database; rejects with `StoreError` when there is no patience left. */
  readonly within: <T>(work: Promise<T>) => Promise<T>;
  /** From now until the function that it gives is called, the runner waits at its end. */
  readonly hurry: () => () => void;
}

/** So long another process may have the database. */
const BUSY_MS = 1700;
/** So long a runner waits at its end while nothing is stored. */
const STALLED_MS = 1800;
const LOOK_MS = 100;

/** How long the process has waited, in milliseconds: one that is busy itself does not wait for a disk. */
function rested(): number {
  return performance.eventLoopUtilization().idle;
}

/** Patience for `db` is over when a process that waits at its end has rested so long without a result. */
export function createPatience(db: string): Patience {
  let end: (reason: StoreError) => void;
  const over = new Promise<never>((_, reject) => (end = reject));
  over.catch(() => undefined);
  let since = rested();
  const look = () => {
    if (rested() - since > STALLED_MS)
      end(new StoreError("unusable_database", `${db} is on a disk that is too slow`));
  };
  return {
    within: async (work) => {
      const result = await Promise.race([work, over]);
      since = rested();
      return result;
    },
    hurry: () => {
      since = rested();
      const timer = setInterval(look, LOOK_MS);
      return () => clearInterval(timer);
    },
  };
}

/** Opens a database, or tells why the calls go to the file `spill` instead, as they do from the first failed write on. */
export async function openSink(
  db: string,
  spill: string,
  { within }: Patience,
  tell: (reason: string) => void,
): Promise<Sink> {
  const opening = openPatiently(() => openAnyCore({ path: db }), BUSY_MS);
  const opened = await within(opening).catch((error: unknown) => {
    const isBusy = error instanceof StoreError && error.code === "locked_database";
    tell(isBusy ? `${db} is busy` : error instanceof Error ? error.message : String(error));
    return null;
  });
  let core = opened;
  const { conventions = DEFAULT_CONVENTIONS } = core?.logged ?? {};
  /** The result of the database; null where it fails, and from then on. */
  const asked = async <T>(ask: (of: NonNullable<typeof core>) => Promise<T>): Promise<T | null> => {
    if (core === null) return null;
    try {
      return await within(ask(core));
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      tell(error.message);
      core = null;
      return null;
    }
  };
  const write: CallStore["write"] = async (records) => {
    if ((await asked((of) => of.storeCalls(records))) === null)
      await appendFile(spill, records.map((record) => `${writeJson(record)}\n`).join(""));
  };
  return {
    store: {
      conventions,
      write,
      readEvaluation: (...given) => asked((of) => of.logged.readEvaluation(...given)),
      readTrial: (...given) => asked((of) => of.logged.readTrial(...given)),
    },
    // All is durable by now, in the database or beside it.
    close: async () => void (await (opened && within(opened.close()).catch(() => undefined))),
  };
}
