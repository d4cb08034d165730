import type { EvalcubeError } from "../../errors.ts";
import type { LoggedExample } from "../api.ts";
import { trialRecords } from "../records/call-records.ts";
import { digestOf, trialId } from "../records/ids.ts";
import { claimTrial, earlierOf, settleTrial, startOf } from "../trials/trial-book.ts";
import { checkExample } from "../values/check-options.ts";
import { plainJson } from "../values/plain-json.ts";
import { isScorerName } from "../values/score-value.ts";
import { deliver, droppable } from "./deliver.ts";
import {
  addFailedScore,
  addScore,
  alreadyLogged,
  createDraft,
  endDraft,
  loggedTrial,
  scorerErrors,
  setOutput,
  type Draft,
} from "./draft.ts";
import { refuseFinished, type Claimed, type Run } from "./run.ts";

/** Begins a trial. Throws `finished`, `invalid_value`, and `already_logged` where the row has this trial. */
export function startTrial(run: Run, row: unknown, number?: number): Draft {
  refuseFinished(run);
  const plain = plainJson(row, "row");
  const digest = digestOf(plain.value);
  const claim = claimTrial(run.book, digest, number);
  if (claim === "taken")
    throw alreadyLogged(
      `startPrediction: the row has trial ${number} already; without a number it gets the next one`,
    );
  if (claim === "stored") throw storedAlready(run);
  const draft = createDraft(trialId(run.evaluation.id, digest, claim.number), claim.number, plain, run.clock);
  run.open.set(draft, { claim, digest });
  return draft;
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
  return droppable(run, end(run, draft, how, error, endedAt));
}

async function end(
  run: Run,
  draft: Draft,
  how: "finish" | "fail",
  error: unknown,
  endedAt: number | undefined,
): Promise<void> {
  endDraft(draft, how, error, endedAt);
  const claimed = run.open.get(draft);
  run.open.delete(draft);
  if (claimed !== undefined) await send(run, draft, claimed);
}

async function send(run: Run, draft: Draft, { claim, digest }: Claimed): Promise<void> {
  if (run.opening !== null) {
    await run.opening;
    settleTrial(run.book, claim, digest);
  }
  const earlier = earlierOf(run.book, claim);
  if (earlier === "good") throw storedAlready(run);
  const trial = loggedTrial(draft, startOf(run.book, claim), earlier);
  const { counts } = run;
  const stored = () => {
    const failed = draft.failure === null ? 0 : 1;
    counts.done++;
    counts.failed += failed;
    counts.trials += earlier === "absent" ? 1 : 0;
    counts.errors += failed - (earlier === "errored" ? 1 : 0);
    counts.scorerErrors += scorerErrors(draft);
    run.events.onStored(counts);
  };
  await deliver(run, { records: trialRecords(run.evaluation, trial), size: draft.size, stored });
}

/** Forgets a trial: nothing of it is written. */
export function discardTrial(run: Run, draft: Draft): void {
  run.open.delete(draft);
}

/** Logs a trial that is there already. What is refused of it is stored as an error, and then thrown. */
export async function logWhole<Row, Output>(run: Run, example: LoggedExample<Row, Output>): Promise<void> {
  checkExample(example);
  const { row, output, scores = {}, usage, startedAt, endedAt, error, trial } = example;
  const draft = startTrial(run, row, trial);
  const start = startedAt === undefined ? null : startedAt.getTime() * 1000;
  const stop = endedAt === undefined ? undefined : endedAt.getTime() * 1000;
  if (start !== null) {
    draft.givenStart = start;
    draft.predictStartedAt = start;
  }
  if (error !== undefined) return await endTrial(run, draft, "fail", error, stop);
  const refused: unknown[] = [];
  try {
    setOutput(draft, output, usage === undefined ? {} : { usage }, stop);
  } catch (refusal) {
    await endTrial(run, draft, "fail", refusal, stop);
    throw refusal;
  }
  for (const [scorer, value] of Object.entries(scores)) {
    try {
      addScore(draft, scorer, value);
    } catch (refusal) {
      refused.push(refusal);
      if (isScorerName(scorer)) addFailedScore(draft, scorer, refusal);
    }
  }
  await endTrial(run, draft, "finish", undefined, stop);
  if (refused.length > 0) throw refused[0];
}
