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

/** Trials that are read at once: nearly all of the time is the database's, which takes several questions. */
const AT_ONCE = 8;

/** What the first trials did, in the order of the rows of a request. */
async function* firstTrials(
  engine: StepsEngine,
  { evaluations, project }: Answers,
  request: EvalResultsRequest,
  signal: AbortSignal | undefined,
): AsyncGenerator<PackedTrial, void, undefined> {
  const asked = { ...request, include_outputs: false, limit: MOST_TRIALS } as const;
  const { rows } = await engine.queryEvalResults(project, asked, { signal });
  const places = new Map(evaluations.map(({ id }, place) => [id, place]));
  const wanted = rows.flatMap(({ row_digest: digest, evaluations: ran }) =>
    ran
      .flatMap(({ evaluation_call_id: id, trials }) =>
        trials.map((one, at) => [digest, places.get(id) ?? -1, at, one.predict_and_score_call_id] as const),
      )
      .toSorted(([, a], [, b]) => a - b),
  );
  const first = wanted.slice(0, MOST_TRIALS);
  const read = async ([digest, place, at, id]: (typeof first)[number]): Promise<PackedTrial[]> => {
    const one = { view: "trial", trials: [id], limit: MOST_STEPS } as const;
    const told = await engine.steps(project, one, { signal });
    if (told.view !== "trial") return [];
    const { counts, stop_reason, step_count, steps } = told;
    return [[digest, place, at, { counts, stop_reason, step_count, steps }]];
  };
  for (let from = 0; from < first.length; from += AT_ONCE)
    yield* (await Promise.all(first.slice(from, from + AT_ONCE).map(read))).flat();
}
