import type { Engine, EvalResultsRequest, Trial } from "../../src/index.ts";
import { EVALUATION, PROJECT } from "./records.ts";

/** Every row of {@link EVALUATION}, with the raw data rows. */
export function askAll(engine: Engine, request: EvalResultsRequest = {}) {
  return engine.queryEvalResults(PROJECT, {
    evaluation_call_ids: [EVALUATION],
    include_raw_data_rows: true,
    ...request,
  });
}

/** The trials of {@link EVALUATION} by id. */
export async function storedTrials(engine: Engine): Promise<Map<string, Trial>> {
  const { rows } = await askAll(engine);
  const trials = rows.flatMap((row) => row.evaluations.flatMap((evaluation) => evaluation.trials));
  return new Map(trials.map((trial) => [trial.predict_and_score_call_id, trial]));
}

export async function storedIds(engine: Engine): Promise<string[]> {
  return [...(await storedTrials(engine)).keys()].toSorted();
}
