import type { Key } from "../../model/digest.ts";
import { compileVirtualScores } from "../../compile/scores/score-records.ts";
import type { Session } from "../../store/session.ts";
import type { Plan } from "../../plan/plan.ts";
import { writeVirtualScores, type ComputedScore } from "../../respond/query/virtual-scores.ts";

/**
 * Reads the virtual scores of the trials of some rows, by trial key, each as a JSON object to be added to the stored
 * scores.
 */
export async function readVirtualScores(
  session: Session,
  plan: Plan,
  rowKeys: readonly Key[],
): Promise<ReadonlyMap<Key, string>> {
  if (plan.virtualLeaves.length === 0) return new Map();
  const trials = new Map<Key, ComputedScore[]>();
  for (const score of await session.all(compileVirtualScores(plan, rowKeys))) {
    const scores = trials.get(score.trialKey) ?? [];
    scores.push(score);
    trials.set(score.trialKey, scores);
  }
  return new Map([...trials].map(([key, scores]) => [key, writeVirtualScores(plan.virtualLeaves, scores)]));
}
