import type { NamedStep, TrialSteps } from "../../src/model/steps.ts";

/** A step of which only what a test is about is said. */
export type MadeStep = Partial<NamedStep> & Pick<NamedStep, "operation">;

/** A trial with these steps, numbered as they stand. */
export function madeTrial(
  trialId: string,
  made: readonly MadeStep[],
  { evaluationCallId = "evaluation", rowDigest = "row" } = {},
): TrialSteps<NamedStep> {
  let [step, turn] = [0, 0];
  const steps = made.map((one, i): NamedStep => {
    const isFrame = one.isFrame ?? one.operation === "invoke_agent";
    if (!isFrame) step++;
    if (!isFrame && one.operation === "chat") turn++;
    return {
      isFrame,
      step: isFrame ? null : step,
      turn: isFrame ? null : turn,
      name: null,
      model: null,
      startedAt: null,
      durationSeconds: null,
      inputTokens: null,
      outputTokens: null,
      cachedTokens: null,
      cost: null,
      finishReason: null,
      errorType: null,
      failed: false,
      action: null,
      callId: `${trialId}-${i}`,
      parentId: trialId,
      depth: 0,
      ...one,
    };
  });
  return { trialId, evaluationCallId, rowDigest, steps };
}
