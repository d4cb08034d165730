import { StoreError, type EvalcubeError } from "../errors.ts";
import { brokenOff } from "./broken-off.ts";
import { rootStart, trialRecords, rootEnd, trialId } from "./call-records.ts";
import { readEarlierRuns } from "./earlier-trials.ts";
import { earlierOf, settleStart, startedAtOf, claimTrial, type Claim } from "./trial-book.ts";
import { Droppable, type Parcel } from "./outbox.ts";
import { loggedTrial, alreadyLogged, createDraft, endDraft, scorerErrors, type Draft } from "./draft.ts";
import {
  noteRefused,
  refuseClosed,
  refuseFinished,
  tell,
  warn,
  warnOfText,
  type Claimed,
  type Ending,
  type Run,
  type StoredTrial,
} from "./run.ts";
import { isJsonObject, type JsonObject } from "../model/json.ts";
import { identifyRow } from "./row-keys.ts";
import type { EvaluationRun } from "./api.ts";
import { loggedFailure, plainJson } from "./values.ts";

/** Beyond this much that waits to be written a warning says so. */
const MUCH_HELD = 64 * 1024 * 1024;
/** About so many characters make the root. */
const ROOT_SIZE = 1000;

/** Writes the root; where the id was given, after the stored trials have been read. */
export function beginRun(run: Run, isNamed: boolean, resume: boolean): void {
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
  void droppable(run, deliver(run, { records: [root], size: ROOT_SIZE, trials: 0 }));
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

/**
 * For the caller, who may drop it: then `onWarning` hears its error, and the next flush rejects with it; `close` waits
 * for it.
 */
export function droppable<T>(run: Run, work: Promise<T>, trials = 0): Promise<T> {
  const promise = Droppable.from(work);
  const told = work.catch(async (error: unknown) => {
    // Where the work had failed at once, an `await` of the caller is not known before the next microtask.
    await Promise.resolve();
    if (promise.isHeard) return tell(run, error);
    // What could not be written waits in the outbox, and flush knows of it.
    if (!(error instanceof StoreError)) {
      run.dropped.push({ promise, error });
      noteRefused(run, error, trials);
    }
    if (run.warned.error === error) return;
    run.warned.error = error;
    warn(run, `evaluation ${run.evaluation.id}: ${error instanceof Error ? error.message : String(error)}`);
  });
  void run.context.underWay.track(told);
  return promise;
}

/** Resolves when all that was logged is durable, trials under way as they stand. */
export async function flushRun(run: Run): Promise<void> {
  if (run.opening !== null) await run.opening;
  for (const [draft, claimed] of run.open) sendPart(run, draft, claimed);
  const error = await run.context.outbox.flush();
  const lost = run.dropped.find(({ promise }) => !promise.isHeard);
  for (const one of run.dropped) if (one.error !== lost?.error) tell(run, one.error);
  run.dropped = [];
  if (lost !== undefined) throw lost.error;
  if (error !== null && run.undelivered.parcels > 0) throw error;
}

/** Writes the trials under way of a run that nobody will end; those that it must not write are refused. */
export async function leaveRun(run: Run): Promise<void> {
  try {
    await run.opening;
  } catch (error) {
    if (run.open.size > 0) run.refused.set(error, (run.refused.get(error) ?? 0) + run.open.size);
    return;
  }
  for (const [draft, claimed] of run.open) sendPart(run, draft, claimed);
}

/** Writes a trial under way as it stands, except over one that is stored without error. */
function sendPart(run: Run, draft: Draft, { claim, digest }: Claimed): void {
  settleStart(run.book, claim, digest);
  const earlier = earlierOf(run.book, claim);
  if (earlier === "good") return;
  const records = trialRecords(run.evaluation, loggedTrial(draft, startedAtOf(run.book, claim), earlier));
  const part = ++draft.parts;
  const isOutdated = () => draft.ended !== null || draft.parts > part;
  void droppable(run, deliver(run, { records, size: draft.size, trials: 1, isOutdated }), 1);
}

const ABANDONED = { name: "Abandoned", message: "neither finished nor failed" };

/** Ends a run once; where that failed, it may be called again. */
export function finishRun(run: Run, ending: Ending): Promise<EvaluationRun> {
  if (run.finishing !== null) return run.finishing;
  const finishing = endRun(run, ending).then(
    (result) => {
      run.context.runs.delete(run);
      return result;
    },
    (error: unknown) => {
      run.finishing = null;
      throw brokenOff(run, error);
    },
  );
  run.finishing = Droppable.from(finishing);
  return run.finishing;
}

async function endRun(run: Run, { status, error, summary = {} }: Ending): Promise<EvaluationRun> {
  const added = plainJson(summary, "summary").value;
  run.isFinished = true;
  for (const draft of run.open.keys()) void endTrial(run, draft, "fail", ABANDONED);
  return await writeEnd(run, { status, error }, isJsonObject(added) ? added : {});
}

/** Writes the end of a run, when all of it is durable; the run can go on, and is then ended again. */
export async function writeEnd(
  run: Run,
  { status, error }: Ending,
  summary: JsonObject = {},
  told: JsonObject = {},
): Promise<EvaluationRun> {
  await flushRun(run);
  const { evaluation, counts, clock } = run;
  const { trials, errors, skipped } = counts;
  const failure = error === undefined ? null : loggedFailure(error);
  // The exception of an earlier run is taken back.
  const exception = failure?.exception ?? (run.earlier.rootFailed ? "" : undefined);
  const output = { trials, errors, ...summary };
  const stack = failure?.stack == null ? {} : { stack: failure.stack };
  const record = rootEnd(evaluation, clock.tick(), output, exception, { ...told, ...stack });
  await deliver(run, { records: [record], size: plainJson(output, "summary").size, trials: 0 });
  const { id, projectId: project_id, name } = evaluation;
  return { id, project_id, name, trials, errors, scorer_errors: counts.scorerErrors, skipped, status };
}

/** Begins a trial. Throws `finished`, `invalid_value`, and `already_logged` where the row has this trial. */
export function startTrial(run: Run, row: unknown, number?: number): Draft {
  const begun = beginTrial(run, row, number);
  if ("stored" in begun) throw storedAlready(run);
  return begun.draft;
}

/** The same, which tells of a trial that is stored without error; `place`: which row of the data it is, from 1. */
export function beginTrial(
  run: Run,
  row: unknown,
  number?: number,
  place?: number,
): { readonly draft: Draft } | { readonly stored: StoredTrial } {
  refuseFinished(run);
  const plain = plainJson(row, "row");
  const { rowKey, digest } = identifyRow(run.keys, row, plain.value, place);
  const claim = claimTrial(run.book, digest, number);
  if (claim === "taken")
    throw alreadyLogged(
      `startPrediction: the row has trial ${number} already; without a number it gets the next one`,
    );
  const idOf = (of: number) => trialId(run.evaluation.id, digest, of);
  if ("stored" in claim) return { stored: { id: idOf(claim.stored), number: claim.stored } };
  const draft = createDraft({ id: idOf(claim.number), number: claim.number, rowKey }, plain, run.clock);
  run.open.set(draft, { claim, digest });
  return { draft };
}

function storedAlready(run: Run): EvalcubeError {
  run.counts.skipped++;
  return alreadyLogged(
    "startPrediction: this trial is stored without error, and resuming leaves it as it is",
  );
}

/** Ends a trial and writes it. Rejects with `already_logged` where it has ended. */
export function endTrial(
  run: Run,
  draft: Draft,
  how: "finish" | "fail",
  error?: unknown,
  endedAt?: number,
): Promise<void> {
  return droppable(run, endAndSend(run, draft, how, error, endedAt), 1);
}

async function endAndSend(
  run: Run,
  draft: Draft,
  how: "finish" | "fail",
  error: unknown,
  endedAt: number | undefined,
): Promise<void> {
  refuseClosed(run.context);
  endDraft(draft, how, error, endedAt);
  await sendEnded(run, [draft]);
}

/**
 * Writes trials that have ended, in one parcel. Of one that is refused for its content the others are written without
 * it.
 */
export async function sendEnded(run: Run, drafts: readonly Draft[]): Promise<void> {
  const claims = drafts.flatMap((draft) => {
    const claimed = run.open.get(draft);
    run.open.delete(draft);
    return claimed === undefined ? [] : [{ draft, ...claimed }];
  });
  if (run.opening !== null) {
    await run.opening;
    for (const { claim, digest } of claims) settleStart(run.book, claim, digest);
  }
  const deliveries = claims.map(({ draft, claim }) => deliveryOf(run, draft, claim));
  if (deliveries.length === 0) return;
  try {
    await deliver(run, joined(deliveries));
  } catch (error) {
    if (error instanceof StoreError || deliveries.length === 1) throw error;
    await Promise.all(deliveries.map((one) => deliver(run, one)));
  }
}

/** The records of a trial that has ended. Throws `already_logged` where it is stored without error. */
function deliveryOf(run: Run, draft: Draft, claim: Claim): Required<Omit<Delivery, "isOutdated">> {
  const earlier = earlierOf(run.book, claim);
  if (earlier === "good") throw storedAlready(run);
  const trial = loggedTrial(draft, startedAtOf(run.book, claim), earlier);
  const { counts } = run;
  warnOfText(run, draft);
  const stored = () => {
    const failed = draft.failure === null ? 0 : 1;
    counts.done++;
    counts.failed += failed;
    counts.trials += earlier === "absent" ? 1 : 0;
    counts.errors += failed - (earlier === "errored" ? 1 : 0);
    counts.scorerErrors += scorerErrors(draft);
    run.events.onStored(counts);
  };
  return { records: trialRecords(run.evaluation, trial), size: draft.size, trials: 1, stored };
}

function joined(deliveries: readonly ReturnType<typeof deliveryOf>[]): Delivery {
  return {
    records: deliveries.flatMap(({ records }) => records),
    size: deliveries.reduce((sum, { size }) => sum + size, 0),
    trials: deliveries.length,
    stored: () => {
      for (const { stored } of deliveries) stored();
    },
  };
}
