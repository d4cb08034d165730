import type { ShownStep } from "../../respond/steps/trial.ts";
import type { TrialSteps } from "./trial-steps.ts";

/** Steps and frames that are looked at together. */
const AT_ONCE = 50;

/** A step, and its place among steps and frames. */
interface NumberedStep {
  readonly place: number;
  readonly step: ShownStep;
}

/**
 * The steps of a trial by their numbers, from one up to another. A frame has none, so no step stands before the place
 * that its number tells.
 */
export async function numberedSteps(
  steps: Pick<TrialSteps, "at" | "need" | "held">,
  from: number,
  to: number,
  signal: AbortSignal,
): Promise<Map<number, NumberedStep>> {
  const found = new Map<number, NumberedStep>();
  let last = 0;
  for (let place = from - 1; place < steps.held && last < to;) {
    const end = Math.min(steps.held, place + AT_ONCE);
    await steps.need(place, end, signal);
    signal.throwIfAborted();
    for (let at = place; at < end; at++) {
      const step = steps.at(at);
      if (step?.step == null) continue;
      last = step.step;
      if (last >= from && last <= to) found.set(last, { place: at, step });
    }
    place = Math.max(end, end + from - last - 1);
    if (last === 0) place = end;
  }
  return found;
}
