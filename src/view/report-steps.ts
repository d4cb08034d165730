import type { Engine } from "../engine/api.ts";
import type { EvalResultsRequest } from "../request/eval-results-request.ts";
import { packSteps } from "./file/pack-steps.ts";
import type { Answers } from "./model/answers.ts";
import type { PackedTrial } from "./payload/packed-steps.ts";

/** Trials whose steps a report may hold, and steps of each. */
const MOST_TRIALS = 100;
const MOST_STEPS = 100;

/** Steps take at most one in so many characters of what a report has room for. */
const SHARE = 4;

/** What trials did as a text for a report with so much room; empty where no trial has a step. */
export async function packedSteps(
  engine: StepsEngine,
  answers: Answers,
  request: EvalResultsRequest,
  room: number,
  signal: AbortSignal | undefined,
): Promise<string> {
  if (answers.steps === undefined) return "";
  return packSteps(firstTrials(engine, answers, request, signal), room / SHARE);
}

type StepsEngine = Pick<Engine, "queryEvalResults" | "steps">;

/** What the first trials did, in the order of the rows of a request. */
async function* firstTrials(
  engine: StepsEngine,
  { evaluations, project }: Answers,
  request: EvalResultsRequest,
  signal: AbortSignal | undefined,
): AsyncGenerator<PackedTrial, void, undefined> {
  const asked = { ...request, include_outputs: false, limit: MOST_TRIALS } as const;
  const { rows } = await engine.queryEvalResults(project, asked, { signal });
  let left = MOST_TRIALS;
  for (const { row_digest: digest, evaluations: ran } of rows)
    for (const [place, { id }] of evaluations.entries()) {
      const own = ran.find((one) => one.evaluation_call_id === id)?.trials ?? [];
      for (const [at, { predict_and_score_call_id: trial }] of own.entries()) {
        if (left-- === 0) return;
        const told = await engine.steps(
          project,
          { view: "trial", trials: [trial], limit: MOST_STEPS },
          { signal },
        );
        if (told.view !== "trial") continue;
        const { counts, stop_reason, step_count, steps } = told;
        yield [digest, place, at, { counts, stop_reason, step_count, steps }];
      }
    }
}
