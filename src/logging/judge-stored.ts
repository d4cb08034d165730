import { scoreId, scoreRecord } from "./call-records.ts";
import { createDraft, scorerErrors, type Draft } from "./draft.ts";
import { judge, log } from "./judge.ts";
import { written, type Loop } from "./limited.ts";
import type { Run, StoredTrial } from "./run.ts";
import { deliver, droppable } from "./trials.ts";

/** Asks the scorers that failed in a trial that is stored without error. */
export async function judgeStored<Row, Output>(
  loop: Loop<Row, Output>,
  row: Row,
  trial: StoredTrial,
): Promise<void> {
  const { run, stopping, options } = loop;
  const failed = Object.entries(options.scorers).filter(([scorer]) =>
    run.earlier.failedCalls.has(scoreId(trial.id, scorer)),
  );
  const [first] = failed;
  const { store } = run.context;
  const read = (scorer: string) =>
    store.readTrial(run.evaluation.projectId, trial.id, scorer, scoreId(trial.id, scorer));
  const stored = first && (await read(first[0]));
  if (stored == null) return leaveTrial(run);
  const judged = { row, output: stored.output as Output, trial: trial.number };
  const results = await judge(loop, failed, judged);
  if (stopping.isStopped() && results.some((one) => "error" in one)) return leaveTrial(run);
  const draft = createDraft({ ...trial, rowKey: null }, NOTHING, run.clock);
  for (const result of results) {
    log(draft, result);
    // Without an opinion, the error is taken back.
    if (!draft.scores.has(result.scorer)) draft.scores.set(result.scorer, result.times);
  }
  written(loop, sendScores(run, draft));
}

const NOTHING = { value: null, size: 0 };

/** Leaves a trial as it is stored. */
function leaveTrial(run: Run): void {
  run.counts.skipped++;
  run.events.onStored(run.counts);
}

/** Writes scores of a trial that is stored, over those that failed. */
function sendScores(run: Run, draft: Draft): Promise<void> {
  const records = Array.from(draft.scores, ([scorer, score]) =>
    scoreRecord(run.evaluation, draft.id, scorer, score, true),
  );
  const stored = () => {
    run.counts.done++;
    run.counts.scorerErrors += scorerErrors(draft);
    run.events.onStored(run.counts);
  };
  return droppable(run, deliver(run, { records, size: draft.size, trials: 1, stored }), 1);
}
