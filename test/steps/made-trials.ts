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
  const first = new Map<string, number>();
  const steps = made.map((one, i): NamedStep => {
    const isFrame = one.isFrame ?? one.operation === "invoke_agent";
    if (!isFrame) step++;
    if (!isFrame && one.operation === "chat") turn++;
    const { action = null } = one;
    const repeatOf = (action === null ? undefined : first.get(action)) ?? null;
    if (action !== null && repeatOf === null) first.set(action, step);
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
      action,
      repeatOf,
      callId: `${trialId}-${i}`,
      parentId: trialId,
      depth: 0,
      ...one,
    };
  });
  return { trialId, evaluationCallId, rowDigest, steps };
}
