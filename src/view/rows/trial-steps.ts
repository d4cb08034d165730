import type { ShownStep } from "../../respond/steps/trial.ts";
import type { HeldSteps } from "../payload/packed-steps.ts";

/** Whose steps are wanted: a service knows trials by id, a report by their place among those of their row. */
export interface StepsWanted {
  readonly digest: string;
  readonly evaluation: number;
  readonly trial: number;
  readonly id: string | null;
}

/** The steps and frames of a trial, read as they are looked at. */
export interface TrialSteps extends Omit<HeldSteps, "steps"> {
  /** How many there are here, the first ones. */
  readonly held: number;
  /** Undefined while it is not there. */
  readonly at: (place: number) => ShownStep | undefined;
  readonly need: (from: number, to: number, signal: AbortSignal) => Promise<void>;
  /** The places of those that failed. */
  readonly errors: (signal: AbortSignal) => Promise<readonly number[]>;
  /** One with its whole texts; null where a line of each is all there is. */
  readonly whole: ((place: number, signal: AbortSignal) => Promise<ShownStep>) | null;
}

/** Steps that are all there. */
export function heldSteps({ steps, ...trial }: HeldSteps): TrialSteps {
  return {
    ...trial,
    held: steps.length,
    at: (place) => steps[place],
    need: () => Promise.resolve(),
    errors: () => Promise.resolve(failedPlaces(steps, 0)),
    whole: null,
  };
}

/** The places of the failed ones of a page that begins at a place. */
export function failedPlaces(steps: readonly ShownStep[], offset: number): number[] {
  return steps.flatMap(({ error_type: error }, i) => (error === null ? [] : [offset + i]));
}
