import { EvalcubeError } from "../errors.ts";
import type { Scorer } from "./api.ts";
import { addFailedScore, addScore, setOutput, setUsage, type Draft, type ScoreTimes } from "./draft.ts";
import { discardTrial, endTrial, startTrial } from "./trials.ts";
import { limited, type Loop } from "./limited.ts";

/** Asks the model about a row, has the scorers judge its answer, and logs all of it without waiting for the disk. */
export async function runTrial<Row, Output>(loop: Loop<Row, Output>, row: Row): Promise<void> {
  const { run, stopping } = loop;
  const draft = startUnlessStored(loop, row);
  if (draft === null) return;
  let output: Output;
  try {
    output = await ask(loop, draft, row);
    setOutput(draft, output);
  } catch (error) {
    if (stopping.isStopped()) return discardTrial(run, draft);
    return endInError(loop, draft, error);
  }
  const results = await judge(loop, draft, row, output);
  if (stopping.isStopped() && results.some((one) => "error" in one)) return discardTrial(run, draft);
  for (const result of results) log(draft, result);
  loop.ended.trials++;
  written(loop, endTrial(run, draft, "finish"));
}

/** Null where an earlier run has the trial without error. */
function startUnlessStored<Row, Output>({ run }: Loop<Row, Output>, row: Row): Draft | null {
  try {
    return startTrial(run, row);
  } catch (error) {
    if (!(error instanceof EvalcubeError) || error.code !== "already_logged") throw error;
    run.events.onStored(run.counts);
    return null;
  }
}

async function ask<Row, Output>(
  { options, stopping }: Loop<Row, Output>,
  draft: Draft,
  row: Row,
): Promise<Output> {
  return await limited(stopping, "the task", options.timeoutMs, (signal) =>
    options.task(row, {
      signal,
      trial: draft.number,
      predictionId: draft.id,
      usage: (usage) => setUsage(draft, usage),
    }),
  );
}

function endInError<Row, Output>(loop: Loop<Row, Output>, draft: Draft, error: unknown): void {
  const { ended } = loop;
  ended.trials++;
  if (ended.errors++ === 0) ended.firstError = error;
  written(loop, endTrial(loop.run, draft, "fail", error));
}

/** A trial that cannot be written ends the evaluation. */
function written<Row, Output>({ stopping }: Loop<Row, Output>, writing: Promise<void>): void {
  writing.catch(stopping.stop);
}

type Judged = { readonly scorer: string; readonly times: ScoreTimes } & (
  | { readonly value: unknown }
  | { readonly error: unknown }
);

/** What each scorer says, in the order of the scorers, whichever ends first. */
async function judge<Row, Output>(
  loop: Loop<Row, Output>,
  draft: Draft,
  row: Row,
  output: Output,
): Promise<Judged[]> {
  const { options, stopping, run } = loop;
  const judgeBy = async ([scorer, score]: readonly [string, Scorer<Row, Output>]): Promise<Judged> => {
    const startedAt = run.clock.tick();
    const times = () => ({ startedAt, endedAt: run.clock.tick() });
    try {
      const what = `the scorer ${JSON.stringify(scorer)}`;
      const value = await limited(stopping, what, options.timeoutMs, (signal) =>
        score({ row, output, trial: draft.number, signal }),
      );
      return { scorer, value, times: times() };
    } catch (error) {
      return { scorer, error, times: times() };
    }
  };
  return await Promise.all(Object.entries(options.scorers).map(judgeBy));
}

/** A value that cannot be stored is an error of its scorer. */
function log(draft: Draft, result: Judged): void {
  const { scorer, times } = result;
  if ("error" in result) return addFailedScore(draft, scorer, result.error, times);
  if (result.value === undefined) return;
  try {
    addScore(draft, scorer, result.value, undefined, times);
  } catch (error) {
    addFailedScore(draft, scorer, error, times);
  }
}
