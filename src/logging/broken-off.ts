import { StoreError } from "../errors.ts";
import { countOf } from "../model/messages.ts";
import type { Run } from "./run.ts";

/** The error of a database that cannot be reached, with what is stored and how to go on; others as they are. */
export function brokenOff(run: Run, error: unknown): unknown {
  if (!(error instanceof StoreError) || error.code !== "unreachable" || "run" in error) return error;
  const { trials, errors, scorerErrors: scorer_errors, skipped } = run.counts;
  const { id, projectId: project_id, name } = run.evaluation;
  const counts = { trials, errors, scorer_errors, skipped };
  const stored = `${countOf(trials, "trial")} ${trials === 1 ? "is" : "are"} stored`;
  const wayOn = `go on with the id ${JSON.stringify(id)} and resume: true`;
  const told = new StoreError(error.code, `${error.message}; ${stored}, ${wayOn}`, { cause: error });
  return Object.assign(told, { run: { id, project_id, name, ...counts, status: "failed" } });
}
