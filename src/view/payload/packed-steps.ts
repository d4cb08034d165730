import type { TrialAnswer } from "../../respond/steps/trial.ts";
import { unpackedLines } from "./packed-rows.ts";

/** What a report holds of a trial: its first steps and frames. */
export type HeldSteps = Pick<TrialAnswer, "counts" | "stop_reason" | "step_count" | "steps">;

/** A line of the steps of a report. */
export type PackedTrial = readonly [digest: string, evaluation: number, trial: number, held: HeldSteps];

/** What a report holds of its first trials, by their keys. */
export type PackedSteps = ReadonlyMap<string, HeldSteps>;

/** The key of a trial: its row, and the places of its evaluation and of itself in it. */
export function stepsKey(digest: string, evaluation: number, trial: number): string {
  return `${digest} ${evaluation} ${trial}`;
}

/** Reads the text of `packSteps`; empty where a report has none. */
export async function readPackedSteps(text: string): Promise<PackedSteps> {
  const lines = text === "" ? [] : await unpackedLines(text);
  return new Map(
    lines.flatMap((line) => {
      if (line === "") return [];
      const [digest, evaluation, trial, held] = JSON.parse(line) as PackedTrial;
      return [[stepsKey(digest, evaluation, trial), held]];
    }),
  );
}
