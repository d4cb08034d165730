import { stepsKey, type PackedSteps } from "../payload/packed-steps.ts";
import type { RowSource } from "./row-source.ts";
import { heldSteps, type StepsWanted } from "./trial-steps.ts";

/** What trials did, as far as a report holds it. */
export function heldTrials(stepsHeld: () => Promise<PackedSteps>): Pick<RowSource, "steps" | "strip"> {
  const strip = async ({ digest, evaluation, trial }: StepsWanted) =>
    (await stepsHeld()).get(stepsKey(digest, evaluation, trial)) ?? null;
  return {
    steps: async (wanted) => {
      const held = await strip(wanted);
      return held === null ? null : heldSteps(held);
    },
    strip,
  };
}
