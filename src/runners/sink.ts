import { appendFile } from "node:fs/promises";
import { openAnyCore } from "../engine/engine.ts";
import { StoreError } from "../errors.ts";
import type { CallStore } from "../logging/seam.ts";
import { DEFAULT_CONVENTIONS } from "../model/conventions.ts";
import { writeJson } from "../model/json.ts";

/** A place for calls. */
export interface Sink {
  readonly store: CallStore;
  readonly close: () => Promise<void>;
}

/** So long another process may have the database. */
const PATIENCE_MS = 1700;
const RETRY_MS = 50;

/** Opens a database, or tells why the calls go to the file `spill` instead, as they do from the first failed write on. */
export async function openSink(db: string, spill: string, tell: (reason: string) => void): Promise<Sink> {
  let core = await open(db, tell);
  const { conventions = DEFAULT_CONVENTIONS } = core?.logged ?? {};
  const write: CallStore["write"] = async (records) => {
    try {
      if (core !== null) return await core.storeCalls(records);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      tell(error.message);
      core = null;
    }
    await appendFile(spill, records.map((record) => `${writeJson(record)}\n`).join(""));
    return null;
  };
  const { readEvaluation = readNothing, readTrial = readNothing } = core?.logged ?? {};
  return {
    store: { conventions, write, readEvaluation, readTrial },
    close: core?.close ?? (async () => undefined),
  };
}

const readNothing = () => Promise.resolve(null);

async function open(db: string, tell: (reason: string) => void) {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await openAnyCore({ path: db });
    } catch (error) {
      const isBusy = error instanceof StoreError && error.code === "locked_database";
      if (!isBusy || performance.now() > deadline) {
        tell(isBusy ? `${db} is busy` : error instanceof Error ? error.message : String(error));
        return null;
      }
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}
