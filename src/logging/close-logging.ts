import { EvalcubeError, StoreError } from "../errors.ts";
import { countOf } from "../model/messages.ts";
import type { LoggingContext } from "./run.ts";
import { leaveRun } from "./trials.ts";

/**
 * Refuses what is asked of loggers from now on, and ends what `evaluate` runs. Resolves when all that was logged before
 * is durable, trials under way as they stand; to the error that says how many trials are not, where nobody heard of it.
 */
export async function closeLogging(context: LoggingContext): Promise<EvalcubeError | null> {
  context.isClosed = true;
  const left = [...context.runs].filter((run) => !context.loops.has(run));
  for (const end of context.loops.values()) end();
  await Promise.all(left.map(leaveRun));
  await context.underWay.ended();
  await context.outbox.flush();
  const lost = [
    ...context.outbox.failed().map(({ parcel, error }) => [error, parcel.trials] as const),
    ...[...context.runs].flatMap(({ refused }) => [...refused]),
  ];
  const [first] = lost;
  const trials = lost.reduce((sum, [, count]) => sum + count, 0);
  return first === undefined ? null : notStored(trials, first[0]);
}

function notStored(trials: number, cause: unknown): EvalcubeError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const message = `the engine is closed with ${countOf(trials, "trial")} not stored: ${reason}`;
  if (cause instanceof StoreError) return new StoreError(cause.code, message, { cause });
  return new EvalcubeError(cause instanceof EvalcubeError ? cause.code : "not_stored", message, { cause });
}
