import { besideAnswer } from "../../respond/steps/beside.ts";
import { pairTrials, type ActedTrial } from "../../respond/steps/diff.ts";
import { stepsKey, type HeldSteps, type PackedSteps } from "../payload/packed-steps.ts";
import { MOST_LINES, type BesideSteps, type RowSource } from "./row-source.ts";
import { heldSteps, type StepsWanted } from "./trial-steps.ts";

/** What trials did, as far as a report holds it. */
export function heldTrials(
  stepsHeld: () => Promise<PackedSteps>,
): Pick<RowSource, "steps" | "strip" | "beside" | "pair"> {
  const strip = async ({ digest, evaluation, trial }: StepsWanted) =>
    (await stepsHeld()).get(stepsKey(digest, evaluation, trial)) ?? null;
  const heldOf = async <Wanted extends StepsWanted>(trials: readonly Wanted[]) => {
    const all = await Promise.all(trials.map(strip));
    return trials.flatMap((one, place) => {
      const held = all[place];
      return held == null ? [] : [{ ...one, place, held }];
    });
  };
  return {
    steps: async (wanted) => {
      const held = await strip(wanted);
      return held === null ? null : heldSteps(held);
    },
    strip,
    beside: async (wanted) => {
      const held = await heldOf(wanted);
      return held.length < wanted.length ? null : heldBeside(held.map((one) => one.held));
    },
    pair: async ({ trials }) => heldPair(await heldOf(trials)),
  };
}

/** Puts what a report holds of two or three trials beside each other. */
function heldBeside(trials: readonly HeldSteps[]): BesideSteps {
  const acted = trials.map((held, i) => ({ ...actedTrial(held, i), passed: null }));
  return besideAnswer(acted, { limit: MOST_LINES, offset: 0 });
}

/** The places of the first failing trial that has actions, and of the passing one that it follows longest. */
function heldPair(
  trials: readonly { readonly held: HeldSteps; readonly place: number; readonly passed: boolean | null }[],
): readonly [number, number] | null {
  const actedOf = (wanted: boolean) =>
    trials
      .filter(({ passed }) => passed === wanted)
      .map(({ held, place }) => actedTrial(held, place))
      .filter(({ actions }) => actions.length > 0);
  for (const pair of pairTrials(actedOf(false), actedOf(true)))
    if (pair !== null) return [Number(pair.trial_id), Number(pair.other_trial_id)];
  return null;
}

/** Trials of a row stand in the order of their starts. */
function actedTrial({ steps }: HeldSteps, place: number): ActedTrial {
  return {
    evaluationCallId: "",
    rowDigest: "",
    trialId: String(place),
    startedAt: BigInt(place),
    actions: steps.flatMap(({ operation, action, name, step }) =>
      operation !== "execute_tool" || step === null ? [] : [{ action: action ?? "", name: name ?? "", step }],
    ),
  };
}
