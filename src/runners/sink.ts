import { performance } from "node:perf_hooks";
import { setTimeout as wait } from "node:timers/promises";
import { openAnyCore } from "../engine/engine.ts";
import { openPatiently } from "../engine/open-backend.ts";
import { StoreError } from "../errors.ts";
import type { CallStore } from "../logging/seam.ts";
import { openRemoteStore } from "../remote/open-remote.ts";
import { DEFAULT_CONVENTIONS } from "../model/conventions.ts";
import type { CallRecord } from "../ingest/record/sent-records.ts";
import { at } from "../model/json.ts";
import { loadKeptRuns, partName } from "./kept-runs.ts";
import { isService } from "./options.ts";
import { createSpill } from "./spill.ts";

type Core = Awaited<ReturnType<typeof openRemoteStore>>;

/** A place for calls. */
export interface Sink {
  readonly store: CallStore;
  /** Resolves to the name of the file that took what the database did not; null where there is none. */
  readonly close: () => Promise<string | null>;
}

/** Limits how long a runner waits for a database. */
export interface Patience {
  /** The result of work of the database; rejects with `StoreError` when there is no patience left. */
  readonly within: <T>(work: Promise<T>) => Promise<T>;
  /** The runner waits at its end from now until the returned function is called. */
  readonly hurry: () => () => void;
}

/** So long another process may have the database. */
const BUSY_MS = 1700;
/** So long a runner waits at its end while nothing is stored. */
const STALLED_MS = 1800;
const LOOK_MS = 100;
/** So long a runner waits at its end for the database to be closed: what a disk is asked for cannot be taken back. */
const LETTING_GO_MS = 10_000;

/** How long the process has waited, in milliseconds: one that is busy itself does not wait for a disk. */
function rested(): number {
  return performance.eventLoopUtilization().idle;
}

/** A service has its own. */
const PATIENT: Patience = { within: (work) => work, hurry: () => () => undefined };

/** Patience for `db` is over when a process that waits at its end has rested so long without a result. */
export function createPatience(db: string): Patience {
  if (isService(db)) return PATIENT;
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

async function openPlace(db: string): Promise<Core> {
  if (!isService(db)) return await openAnyCore({ path: db });
  return await openRemoteStore({ url: db, key: process.env["EVALCUBE_KEY"] });
}

/**
 * `core` is null where the database cannot be opened in time; `letGo` resolves when the process does not hold it any
 * more.
 */
async function openOrTell(
  db: string,
  within: Patience["within"],
  tell: (reason: string) => void,
): Promise<{ readonly core: Core | null; readonly letGo: () => Promise<unknown> }> {
  const stop = new AbortController();
  const opening = openPatiently(() => openPlace(db), BUSY_MS, stop.signal);
  const close = () => opening.then((core) => core.close()).catch(() => undefined);
  try {
    return { core: await within(opening), letGo: close };
  } catch (error) {
    const isBusy = error instanceof StoreError && error.code === "locked_database";
    tell(isBusy ? `${db} is busy` : error instanceof Error ? error.message : String(error));
    stop.abort();
    // Where it is opened after all, nobody needs it.
    const closed = close();
    return { core: null, letGo: () => closed };
  }
}

/**
 * Opens a database, with what runners kept beside it, or tells why the calls go to the file `spill` instead, as they do
 * from the first failed write on.
 */
export async function openSink(
  db: string,
  spill: string,
  { within }: Patience,
  tell: (reason: string) => void,
  beside = db,
): Promise<Sink> {
  const opened = await openOrTell(db, within, tell);
  let { core } = opened;
  const kept = createKeeper(spill);
  if (core !== null) await within(loadInto(core, beside)).catch(() => undefined);
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
    if ((await asked((of) => of.storeCalls(records))) === null) await kept.keep(records);
    else kept.stored(records);
  };
  return {
    store: {
      conventions,
      write,
      readEvaluation: (...given) => asked((of) => of.logged.readEvaluation(...given)),
      readTrial: (...given) => asked((of) => of.logged.readTrial(...given)),
    },
    // All is durable by now, in the database or beside it.
    close: async () => {
      await Promise.race([opened.letGo(), wait(LETTING_GO_MS, undefined, { ref: false })]);
      return await kept.close();
    },
  };
}

/**
 * Keeps what a database does not take, with the starts of evaluations that it has: a file tells by itself of which run
 * it is.
 */
function createKeeper(spill: string) {
  const { write, close } = createSpill(partName(spill), spill);
  const starts: CallRecord[] = [];
  return {
    stored: (records: readonly CallRecord[]) =>
      void starts.push(...records.filter((one) => at(one, "attributes", "run") !== undefined)),
    keep: async (records: readonly CallRecord[]) => {
      for (const start of starts.splice(0)) await write([start]);
      await write(records);
    },
    close,
  };
}

/** Runs that went into files come before what is added to them. */
async function loadInto({ ingestCalls }: Core, db: string): Promise<void> {
  await loadKeptRuns(db, () => Promise.resolve({ ingestCalls, close: () => Promise.resolve() }));
}
