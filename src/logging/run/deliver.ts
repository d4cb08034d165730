import { StoreError } from "../../errors.ts";
import { rootStart, trialRecords } from "../records/call-records.ts";
import { readEarlierRuns } from "../trials/earlier-trials.ts";
import { earlierOf, settleTrial, startOf } from "../trials/trial-book.ts";
import { Droppable } from "../write/droppable.ts";
import type { Parcel } from "../write/outbox.ts";
import { loggedTrial, type Draft } from "./draft.ts";
import { warn, type Claimed, type Run } from "./run.ts";

/** Beyond this much that waits to be written a warning says so. */
const MUCH_HELD = 64 * 1024 * 1024;
/** About so many characters make the root. */
const ROOT_SIZE = 1000;

/** Writes the root; where the id was given, after the stored trials have been read. */
export function openRun(run: Run, isNamed: boolean, resume: boolean): void {
  if (isNamed) run.opening = Droppable.from(readThenOpen(run, resume));
  else sendRoot(run);
}

async function readThenOpen(run: Run, resume: boolean): Promise<void> {
  const earlier = await readEarlierRuns(run.context.store, run.evaluation, resume, run.book);
  run.earlier = earlier;
  run.counts.trials = earlier.trials;
  run.counts.errors = earlier.errors;
  run.opening = null;
  sendRoot(run);
}

function sendRoot(run: Run): void {
  const root = rootStart(run.evaluation, run.earlier.rootStartedAt ?? run.startedAt);
  void droppable(run, deliver(run, { records: [root], size: ROOT_SIZE }));
}

interface Delivery extends Omit<Parcel, "stored"> {
  readonly stored?: () => void;
}

/** Writes records that belong together; resolves when they are durable. A `StoreError` leaves them in the outbox. */
export async function deliver(run: Run, delivery: Delivery): Promise<void> {
  const { size, stored = () => undefined } = delivery;
  run.undelivered.parcels++;
  run.undelivered.size += size;
  warnOfMemory(run);
  const gone = () => {
    run.undelivered.parcels--;
    run.undelivered.size -= size;
  };
  const whenStored = () => {
    gone();
    stored();
  };
  try {
    await run.context.outbox.add({ ...delivery, stored: whenStored });
  } catch (error) {
    if (!(error instanceof StoreError)) gone();
    throw error;
  }
}

function warnOfMemory(run: Run): void {
  if (run.warned.memory || run.undelivered.size <= MUCH_HELD) return;
  run.warned.memory = true;
  warn(
    run,
    `evaluation ${run.evaluation.id}: more than 64 MiB wait to be written; await flush() from time to time`,
  );
}

/** A promise for the caller, who may drop it: then `onWarning` hears its error, and the next flush rejects with it. */
export function droppable<T>(run: Run, work: Promise<T>): Promise<T> {
  const promise = Droppable.from(work);
  work.catch(async (error: unknown) => {
    // Where the work had failed at once, an `await` of the caller is not known before the next microtask.
    await Promise.resolve();
    if (promise.isHeard) return;
    // What could not be written waits in the outbox, and flush knows of it.
    if (!(error instanceof StoreError)) run.dropped.push({ promise, error });
    if (run.warned.error === error) return;
    run.warned.error = error;
    warn(run, `evaluation ${run.evaluation.id}: ${error instanceof Error ? error.message : String(error)}`);
  });
  return promise;
}

/** Resolves when all that was logged is durable, trials under way as they stand. */
export async function flushRun(run: Run): Promise<void> {
  if (run.opening !== null) await run.opening;
  for (const [draft, claimed] of run.open) sendPart(run, draft, claimed);
  const error = await run.context.outbox.flush();
  const lost = run.dropped.find(({ promise }) => !promise.isHeard);
  run.dropped = [];
  if (lost !== undefined) throw lost.error;
  if (error !== null && run.undelivered.parcels > 0) throw error;
}

/** Writes a trial under way as it stands, except over one that is stored without error. */
function sendPart(run: Run, draft: Draft, { claim, digest }: Claimed): void {
  settleTrial(run.book, claim, digest);
  const earlier = earlierOf(run.book, claim);
  if (earlier === "good") return;
  const records = trialRecords(run.evaluation, loggedTrial(draft, startOf(run.book, claim), earlier));
  const part = ++draft.parts;
  const isOutdated = () => draft.ended !== null || draft.parts > part;
  void droppable(run, deliver(run, { records, size: draft.size, isOutdated }));
}
