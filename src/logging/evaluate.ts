import { CANCELLED } from "../model/messages.ts";
import { createTurns } from "../model/turns.ts";
import { EvalcubeError, RequestError, StoreError, requestFault } from "../errors.ts";
import type { EvaluateOptions, EvaluationRun } from "./api.ts";
import { beginRun, finishRun } from "./trials.ts";
import {
  discardTrial,
  evaluationFrom,
  type LoggingContext,
  newRun,
  refuseClosed,
  type RunCounts,
} from "./run.ts";
import { brokenOff } from "./broken-off.ts";
import { checkEvaluate, checkProjectArgument, isIterable } from "./check-options.ts";
import { createStopping, type Item, type Loop } from "./limited.ts";
import { runTrial } from "./run-trial.ts";

const USUAL_CONCURRENCY = 10;
/** So long a stopped evaluation waits for what is under way. */
const GRACE_MS = 1000;

/** Runs tasks over rows: a loop over a logger. It keeps no results. */
export async function evaluate<Row, Output>(
  context: LoggingContext,
  projectId: string,
  options: EvaluateOptions<Row, Output>,
): Promise<EvaluationRun> {
  refuseClosed(context);
  checkProjectArgument(projectId);
  checkEvaluate(options);
  options.signal?.throwIfAborted();
  const loop = createLoop(context, projectId, options);
  const close = () => loop.stopping.stop(closedWhile(options.name));
  context.loops.set(loop.run, close);
  const running = runLoop(loop).finally(() => context.loops.delete(loop.run));
  // Whoever closes the engine waits for what is stored, and is told nothing twice.
  void context.underWay.track(running.catch(() => undefined));
  return await running;
}

function closedWhile(name: string): StoreError {
  return new StoreError(
    "closed",
    `the engine was closed while ${JSON.stringify(name)} was running; await evaluate before close`,
  );
}

async function runLoop<Row, Output>(loop: Loop<Row, Output>): Promise<EvaluationRun> {
  const { run, stopping, options } = loop;
  beginRun(run, options.id !== undefined, options.resume ?? false);
  if (run.opening !== null) await run.opening;
  const stop = () => stopping.stop(options.signal?.reason);
  options.signal?.addEventListener("abort", stop, { once: true });
  if (options.signal?.aborted === true) stop();
  try {
    await workAll(loop);
  } finally {
    options.signal?.removeEventListener("abort", stop);
  }
  return await conclude(loop);
}

function createLoop<Row, Output>(
  context: LoggingContext,
  projectId: string,
  options: EvaluateOptions<Row, Output>,
): Loop<Row, Output> {
  const stopping = createStopping();
  const total = totalOf(options.data, options.trials);
  const onStored = ({ done, skipped, failed }: Readonly<RunCounts>) => {
    try {
      options.onProgress?.({ done: done + skipped, total, errors: failed });
    } catch (error) {
      stopping.stop(error);
    }
  };
  const evaluation = evaluationFrom(projectId, options, context.store.conventions);
  return {
    run: newRun(
      context,
      evaluation,
      { onWarning: options.onWarning ?? (() => undefined), onStored },
      options.rowKey,
    ),
    options,
    total,
    items: itemsOf(options.data, options.trials),
    stopping,
    turns: createTurns(),
    ended: { trials: 0, errors: 0, firstError: undefined },
  };
}

/** Resolves when all workers have ended; after an early stop, at the latest when the grace is over. */
async function workAll<Row, Output>(loop: Loop<Row, Output>): Promise<void> {
  const { stopping, options, items, run } = loop;
  const ended = work(loop, (options.maxConcurrency ?? USUAL_CONCURRENCY) - 1).catch(stopping.stop);
  await Promise.race([ended, stopping.stopped]);
  if (!stopping.isStopped()) return;
  // The generator of the caller may be waiting for what never comes.
  const closed = ended.then(() => items.return()).catch(() => undefined);
  if (run.context.isClosed) return;
  let timer: NodeJS.Timeout | undefined;
  const grace = new Promise((resolve) => {
    timer = setTimeout(resolve, GRACE_MS);
  });
  await Promise.race([closed, grace]);
  clearTimeout(timer);
}

/**
 * Works on one row after another; with its first one it lets another worker begin, of `others` that may: no more than
 * there are rows.
 */
async function work<Row, Output>(loop: Loop<Row, Output>, others: number): Promise<void> {
  const { stopping, items, turns, run } = loop;
  let next: Promise<void> | null = null;
  try {
    for (;;) {
      await turns.take();
      await run.context.outbox.room();
      if (stopping.isStopped()) return;
      const { done, value: item } = await items.next();
      if (done === true || stopping.isStopped()) return;
      if (others > 0) next ??= work(loop, others - 1).catch(stopping.stop);
      await runTrial(loop, item);
      checkErrors(loop, loop.total);
    }
  } finally {
    await next;
  }
}

/** Stops the evaluation where too many trials are in error. */
function checkErrors<Row, Output>(
  { options: { failOnError }, ended, stopping }: Loop<Row, Output>,
  total: number | null,
): void {
  if (failOnError === undefined || ended.errors === 0) return;
  if (failOnError < 1 && total === null) return;
  if (ended.errors < (failOnError < 1 ? failOnError * (total ?? 0) : failOnError)) return;
  if (!stopping.isStopped())
    stopping.stop(new EvaluationFailed(ended.errors, ended.trials, ended.firstError));
}

async function conclude<Row, Output>(loop: Loop<Row, Output>): Promise<EvaluationRun> {
  const { run, stopping, options, ended } = loop;
  checkErrors(loop, ended.trials);
  if (!stopping.isStopped()) return await finishRun(run, { status: "finished" });
  for (const draft of run.open.keys()) discardTrial(run, draft);
  const reason = stopping.reason();
  const isCancelled = options.signal?.aborted === true && options.signal.reason === reason;
  const result = await finishRun(
    run,
    isCancelled ? { status: "cancelled", error: CANCELLED } : { status: "failed", error: reason },
  );
  throw withRun(brokenOff(run, reason), result);
}

/** The reason, with the run where it can take one. */
function withRun(reason: unknown, run: EvaluationRun): unknown {
  if (typeof reason === "object" && reason !== null && Object.isExtensible(reason))
    Object.defineProperty(reason, "run", { value: run, configurable: true, enumerable: true });
  return reason;
}

/** `evaluate` ended early, since as many trials were in error as `failOnError` says. `cause` is the first error. */
export class EvaluationFailed extends EvalcubeError {
  /** What became of the evaluation. */
  declare readonly run: EvaluationRun;

  constructor(errors: number, trials: number, cause: unknown) {
    super("evaluation_failed", `${errors} of ${trials} trials in error`, { cause });
  }
}

type Data<Row> = EvaluateOptions<Row, unknown>["data"];
type Trials<Row> = EvaluateOptions<Row, unknown>["trials"];

/** The rows of an evaluation, each as often as it has trials; one row is read ahead. */
async function* itemsOf<Row>(data: Data<Row>, trials: Trials<Row> = 1): AsyncGenerator<Item<Row>, void> {
  let place = 0;
  for await (const row of oneAhead(opened(data))) {
    place++;
    const times = typeof trials === "number" ? trials : checked(trials(row));
    for (let i = 0; i < times; i++) yield { row, place };
  }
}

/** How many items there will be; null where it is not known beforehand. */
function totalOf<Row>(data: Data<Row>, trials: Trials<Row> = 1): number | null {
  return Array.isArray(data) && typeof trials === "number" ? data.length * trials : null;
}

function opened<Row>(data: Data<Row>): Iterable<Row> | AsyncIterable<Row> {
  const rows = typeof data === "function" ? data() : data;
  if (!isIterable(rows)) throw invalid("data", "must give a list or an iterable");
  return rows;
}

/** Asks for the next row while the current one is used; a list needs no asking. */
async function* oneAhead<Row>(rows: Iterable<Row> | AsyncIterable<Row>): AsyncGenerator<Row, void> {
  if (!(Symbol.asyncIterator in rows)) {
    yield* rows;
    return;
  }
  const iterator = rows[Symbol.asyncIterator]();
  const ask = () => {
    const asked = iterator.next();
    // It is told when its turn comes.
    asked.catch(() => undefined);
    return asked;
  };
  let isOver = false;
  try {
    for (let next = ask(); ;) {
      const { done, value } = await next.catch((error: unknown) => {
        isOver = true;
        throw error;
      });
      isOver = done === true;
      if (done === true) return;
      next = ask();
      yield value;
    }
  } finally {
    if (!isOver) await iterator.return?.();
  }
}

function checked(times: unknown): number {
  if (typeof times === "number" && Number.isInteger(times) && times >= 0) return times;
  throw invalid("trials", "must give a whole number from 0");
}

function invalid(name: string, msg: string): RequestError {
  return requestFault("schema", [name], msg, "invalid_type");
}
