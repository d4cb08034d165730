import type { JsonObject } from "../../model/json.ts";
import type { StepItem } from "../../model/step-items/items.ts";
import { chatTokens, stepCalls } from "../../model/step-items/step-calls.ts";
import { modelCounts } from "../../model/token-counts.ts";
import type { LogPrediction, LogTrial } from "./log-parts.ts";
import { checkTime } from "./bounds.ts";
import { stepId } from "./ids.ts";

/** The calls of the steps of a trial, below its predict call. Throws `SourceFault` on times that cannot be written. */
export function stepRecords(
  predict: { readonly [name: string]: JsonObject[string] },
  trial: string,
  startedAt: bigint,
  { steps = [], calls = [], place }: LogTrial,
): JsonObject[] {
  checkTimes(steps, place);
  const { project_id = null, trace_id = null, id = null } = predict;
  const made = stepCalls(steps, { place: 0, startedAt }).map(({ place: at, frame, members }) => ({
    id: stepId(trial, at),
    project_id,
    trace_id,
    parent_id: frame === null ? id : stepId(trial, frame),
    ...members,
  }));
  const given = calls.map(({ parent, members }) => ({
    ...members,
    project_id,
    trace_id,
    parent_id: parent ?? id,
  }));
  return [...made, ...given];
}

function checkTimes(steps: readonly StepItem[], place: string): void {
  for (const step of steps) {
    checkTime(step.startedAt, place);
    checkTime(step.endedAt, place);
    if (step.kind === "frame") checkTimes(step.items, place);
  }
}

/** What is known of the model's work: tokens that the trial does not state are those of its chats, where all tell. */
export function predictionOf({ prediction = {}, steps = [], evaluation }: LogTrial): LogPrediction {
  const told = Object.values(prediction.usage ?? {}).some((counts) => Object.keys(counts).length > 0);
  const sums = told ? null : chatTokens(steps, evaluation.model);
  if (sums === null) return prediction;
  return {
    ...prediction,
    usage: Object.fromEntries(Array.from(sums, ([model, one]) => [model, modelCounts(one)])),
  };
}
