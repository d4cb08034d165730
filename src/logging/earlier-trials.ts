import { EvalcubeError } from "../errors.ts";
import { trialId } from "./call-records.ts";
import type { CallStore, EarlierTrial } from "./seam.ts";
import { rememberTrial, type TrialBook } from "./trial-book.ts";

/** What is stored of an evaluation when a run of it begins. */
export interface EarlierRuns {
  readonly trials: number;
  readonly errors: number;
  /** Start of the root, in microseconds since 1970; null while it is not stored. */
  readonly rootStartedAt: number | null;
  readonly rootFailed: boolean;
  /** Ids of the calls below trials that ended in an exception. */
  readonly failedCalls: ReadonlySet<string>;
}

export const NO_EARLIER_RUNS: EarlierRuns = {
  trials: 0,
  errors: 0,
  rootStartedAt: null,
  rootFailed: false,
  failedCalls: new Set(),
};

interface Named {
  readonly projectId: string;
  readonly id: string;
}

/**
 * Enters the stored trials of an evaluation in the book. Throws `conflict` where there are any and `resume` is not set.
 */
export async function readEarlierRuns(
  store: CallStore,
  { projectId, id }: Named,
  resume: boolean,
  book: TrialBook,
): Promise<EarlierRuns> {
  let trials = 0;
  let errors = 0;
  const root = await store.readEvaluation(projectId, id, (part) => {
    if (part.length > 0 && !resume) throw hasTrials(projectId, id);
    trials += part.length;
    for (const one of part) {
      if (one.errored) errors++;
      remember(book, id, one);
    }
    return Promise.resolve();
  });
  return {
    trials,
    errors,
    rootStartedAt: root === null || root.startedAt === null ? null : Number(root.startedAt),
    rootFailed: root?.failed ?? false,
    failedCalls: new Set(root?.failedCalls),
  };
}

/** Trials that others wrote into the evaluation count, but are no trials of the logger. */
function remember(
  book: TrialBook,
  evaluationId: string,
  { id, digest, number, startedAt, errored, ended }: EarlierTrial,
): void {
  if (number === null || id !== trialId(evaluationId, digest, number)) return;
  rememberTrial(book, digest, number, startedAt, errored ? "errored" : ended ? "good" : "open");
}

function hasTrials(projectId: string, id: string): EvalcubeError {
  return new EvalcubeError(
    "conflict",
    `evaluation ${JSON.stringify(id)} has trials in ${projectId} already; go on with it with resume: true, or choose another id`,
  );
}
