import { mapInSlices } from "../../model/turns.ts";
import { grouped } from "../../model/grouped.ts";
import type { AskedSteps } from "../../request/steps-request.ts";
import { toolsAnswer, type ToolsAnswer } from "../../respond/steps/tools-answer.ts";
import { addTrials, emptyTally } from "../../respond/steps/tools.ts";
import { readTrials, type StepsScope } from "./scope.ts";

/** Tells which tools fail, and whether that goes with less success. */
export async function readTools(
  scope: StepsScope,
  asked: AskedSteps,
  labels: ReadonlyMap<string, string>,
): Promise<ToolsAnswer> {
  const { catalog, success, warnings, signal } = scope;
  const trials = await readTrials(scope, null, ["name", "errorType", "durationSeconds"]);
  const ofEvaluation = grouped(trials, ({ evaluationCallId }) => evaluationCallId);
  const evaluations = [];
  for (const id of asked.request.evaluationIds.filter((one) => catalog.evaluations.has(one))) {
    const tally = emptyTally();
    await mapInSlices(addTrials(tally, ofEvaluation.get(id) ?? []), () => null, signal);
    evaluations.push({ id, label: labels.get(id) ?? id, tally });
  }
  const told = await toolsAnswer(evaluations, { ...asked, success: success?.name ?? null }, signal);
  return { ...told, warnings };
}
