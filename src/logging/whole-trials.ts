import type { LoggedExample } from "./api.ts";
import { checkExample } from "./check-options.ts";
import { addCall, addFailedScore, addScore, addUsage, endDraft, setOutput, type Draft } from "./draft.ts";
import type { Run } from "./run.ts";
import { sendEnded, startTrial } from "./trials.ts";
import { addToldSteps, setStopReason } from "./step-log.ts";
import { isScorerName } from "./values.ts";

/** Logs a trial that is there already. What is refused of it is stored as an error, and then thrown. */
export async function logWhole<Row, Output>(run: Run, example: LoggedExample<Row, Output>): Promise<void> {
  checkExample(example);
  const [refusal] = await logTogether(run, [example]);
  if (refusal !== undefined) throw refusal;
}

/** Logs trials that are there already, in one parcel; resolves to what was refused of them, each an error. */
export async function logTogether(
  run: Run,
  examples: readonly LoggedExample<unknown, unknown>[],
): Promise<unknown[]> {
  const refused: unknown[] = [];
  const drafts = examples.flatMap((example) => {
    try {
      return [wholeTrial(run, example, refused)];
    } catch (error) {
      refused.push(error);
      return [];
    }
  });
  await sendEnded(run, drafts);
  return refused;
}

/** A trial that has ended as the example says; what is refused of it is noted. */
function wholeTrial(run: Run, example: LoggedExample<unknown, unknown>, refused: unknown[]): Draft {
  const {
    row,
    startedAt,
    endedAt,
    answeredAt = endedAt,
    usage,
    calls = [],
    steps,
    stopReason,
    trial,
  } = example;
  const draft = startTrial(run, row, trial);
  if (startedAt !== undefined) draft.givenStart = draft.predictStartedAt = startedAt.getTime() * 1000;
  const [stop, answered] = [endedAt, answeredAt].map((time) => time && time.getTime() * 1000);
  let { error } = example;
  try {
    for (const call of calls) addCall(draft, call);
    if (steps !== undefined) addToldSteps(run, draft, steps, draft.predictStartedAt);
    if (stopReason !== undefined) setStopReason(draft, stopReason);
    if (error === undefined) setOutput(draft, example.output, usage ? { usage } : undefined, answered);
    else addUsage(draft, usage);
    if (error !== undefined) draft.predictEndedAt = answered ?? null;
    else addScores(draft, example, refused);
  } catch (refusal) {
    refused.push(refusal);
    error = refusal;
  }
  endDraft(draft, error === undefined ? "finish" : "fail", error, stop);
  return draft;
}

function addScores(
  draft: Draft,
  { scores = {}, reasons = {} }: LoggedExample<unknown, unknown>,
  refused: unknown[],
): void {
  for (const [scorer, value] of Object.entries(scores)) {
    try {
      const reason = Object.hasOwn(reasons, scorer) ? reasons[scorer] : undefined;
      addScore(draft, scorer, value, reason === undefined ? undefined : { reason });
    } catch (refusal) {
      refused.push(refusal);
      if (isScorerName(scorer)) addFailedScore(draft, scorer, refusal);
    }
  }
}
