import { EvalcubeError } from "../errors.ts";
import type { ScoreDetails } from "./api.ts";
import { scoreRecord } from "./records/call-records.ts";
import { createClock } from "./records/clock.ts";
import { scoreId } from "./records/ids.ts";
import { readScore } from "./run/draft.ts";
import { markers } from "./run/evaluation.ts";
import type { LoggingContext } from "./run/run.ts";
import { checkProject } from "./values/check-options.ts";
import { invalidValue } from "./values/plain-json.ts";

/** Where a score is to go. */
interface Place {
  readonly projectId: string;
  readonly trialId: string;
  readonly scorer: string;
}

/** Returns a function that adds scores to stored trials, one score of a trial at a time. */
export function createLateScores(
  context: LoggingContext,
): (place: Place, value: unknown, details: ScoreDetails) => Promise<void> {
  const underWay = new Set<string>();
  return async (place, value, details) => {
    checkProject(place.projectId);
    if (typeof place.trialId !== "string" || place.trialId === "")
      throw invalidValue(["predictionId"], "must be a text that is not empty");
    const now = createClock().tick();
    const { score, size } = readScore(place.scorer, value, details, { startedAt: now, endedAt: now });
    const key = JSON.stringify([place.projectId, place.trialId, place.scorer]);
    if (underWay.has(key)) throw hasScore(place);
    underWay.add(key);
    try {
      await add(context, place, score, size);
    } finally {
      underWay.delete(key);
    }
  };
}

async function add(
  { store, outbox }: LoggingContext,
  place: Place,
  score: ReturnType<typeof readScore>["score"],
  size: number,
): Promise<void> {
  const { projectId, trialId, scorer } = place;
  const id = scoreId(trialId, scorer);
  const read = () => store.readTrial(projectId, trialId, scorer, id);
  // A trial that is being written is found when it is durable.
  const trial = (await read()) ?? ((await outbox.flush()) === null ? await read() : null);
  if (trial === null)
    throw new EvalcubeError(
      "not_found",
      `there is no trial ${JSON.stringify(trialId)} in ${projectId}; give the id of its predict-and-score call`,
    );
  if (trial.hasScore) throw hasScore(place);
  const evaluation = { id: trial.evaluationId, projectId, ...markers(store.conventions) };
  const record = scoreRecord(evaluation, trialId, scorer, score, trial.hasCall);
  await outbox.add({ records: [record], size, stored: () => undefined });
}

function hasScore({ trialId, scorer }: Place): EvalcubeError {
  return new EvalcubeError(
    "conflict",
    `trial ${JSON.stringify(trialId)} has a score of ${JSON.stringify(scorer)} already; log it under another name`,
  );
}
