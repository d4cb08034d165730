import { setAttempt, setOutput, setUsage, type Draft } from "./draft.ts";
import { judge, log } from "./judge.ts";
import { judgeStored } from "./judge-stored.ts";
import { limited, retried, written, type Item, type Loop } from "./limited.ts";
import { discardTrial } from "./run.ts";
import { createStepLog } from "./step-log.ts";
import { beginTrial, endTrial } from "./trials.ts";

/** Asks the model about a row, has the scorers judge its answer, and logs all of it without waiting for the disk. */
export async function runTrial<Row, Output>(loop: Loop<Row, Output>, item: Item<Row>): Promise<void> {
  const { run, stopping, options } = loop;
  const { row, place } = item;
  const begun = beginTrial(run, row, undefined, place);
  if (!("draft" in begun)) return await judgeStored(loop, row, begun.stored);
  const { draft } = begun;
  let output: Output;
  try {
    output = await ask(loop, draft, row);
    setOutput(draft, output);
  } catch (error) {
    if (stopping.isStopped()) return discardTrial(run, draft);
    return endInError(loop, draft, error);
  }
  const results = await judge(loop, Object.entries(options.scorers), { row, output, trial: draft.number });
  if (stopping.isStopped() && results.some((one) => "error" in one)) return discardTrial(run, draft);
  for (const result of results) log(draft, result);
  loop.ended.trials++;
  written(loop, endTrial(run, draft, "finish"));
}

async function ask<Row, Output>(
  { options, stopping, run }: Loop<Row, Output>,
  draft: Draft,
  row: Row,
): Promise<Output> {
  const { task, retries = 0, timeoutMs } = options;
  let calls = 0;
  return await retried(stopping, retries, () => {
    if (++calls > 1) setAttempt(draft, calls);
    return limited(stopping, "the task", timeoutMs, (signal) =>
      task(row, {
        signal,
        trial: draft.number,
        predictionId: draft.id,
        usage: (usage) => setUsage(draft, usage),
        ...createStepLog(run, draft),
      }),
    );
  });
}

function endInError<Row, Output>(loop: Loop<Row, Output>, draft: Draft, error: unknown): void {
  const { ended } = loop;
  ended.trials++;
  if (ended.errors++ === 0) ended.firstError = error;
  written(loop, endTrial(loop.run, draft, "fail", error));
}
