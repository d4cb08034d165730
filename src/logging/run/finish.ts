import type { JsonObject } from "../../model/json.ts";
import { isJsonObject } from "../../model/json.ts";
import type { EvaluationRun } from "../api.ts";
import { rootEnd } from "../records/call-records.ts";
import { failureOf } from "../values/failure.ts";
import { plainJson } from "../values/plain-json.ts";
import { Droppable } from "../write/droppable.ts";
import { deliver, flushRun } from "./deliver.ts";
import type { Run } from "./run.ts";
import { endTrial } from "./trials.ts";

/** How a run ends. */
interface Ending {
  readonly status: EvaluationRun["status"];
  /** Undefined where it ends well. */
  readonly error?: unknown;
  readonly summary?: JsonObject;
}

const ABANDONED = { name: "Abandoned", message: "neither finished nor failed" };

/** Ends a run once; where that failed, it may be called again. */
export function finishRun(run: Run, ending: Ending): Promise<EvaluationRun> {
  if (run.finishing !== null) return run.finishing;
  const finishing = end(run, ending).catch((error: unknown) => {
    run.finishing = null;
    throw error;
  });
  run.finishing = Droppable.from(finishing);
  return run.finishing;
}

async function end(run: Run, { status, error, summary = {} }: Ending): Promise<EvaluationRun> {
  const added = plainJson(summary, "summary").value;
  run.isFinished = true;
  for (const draft of run.open.keys()) void endTrial(run, draft, "fail", ABANDONED);
  await flushRun(run);
  const { evaluation, counts, clock } = run;
  const { trials, errors, scorerErrors, skipped } = counts;
  const failure = error === undefined ? null : failureOf(error);
  // The exception of an earlier run is taken back.
  const exception = failure?.exception ?? (run.earlier.rootFailed ? "" : undefined);
  const output = { trials, errors, ...(isJsonObject(added) ? added : {}) };
  const record = rootEnd(evaluation, clock.tick(), output, exception, failure?.stack ?? null);
  await deliver(run, { records: [record], size: plainJson(output, "summary").size });
  return {
    id: evaluation.id,
    project_id: evaluation.projectId,
    name: evaluation.name,
    trials,
    errors,
    scorer_errors: scorerErrors,
    skipped,
    status,
  };
}
