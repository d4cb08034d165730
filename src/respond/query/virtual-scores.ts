import { BOOLEAN } from "../../model/score-kind.ts";
import type { VirtualLeaf } from "../../plan/plan.ts";

/** One virtual score of a trial; `kind` is that of a number or a boolean. */
export interface ComputedScore {
  readonly pathKey: number;
  readonly kind: number;
  readonly number: number;
}

/**
 * Writes the virtual scores of a trial as a JSON object: derived scores by name, feedback scores by type under
 * `feedback`.
 */
export function writeVirtualScores(leaves: readonly VirtualLeaf[], scores: readonly ComputedScore[]): string {
  const feedback: string[] = [];
  const derived: string[] = [];
  for (const leaf of leaves) {
    const score = scores.find(({ pathKey }) => pathKey === leaf.key);
    if (score === undefined) continue;
    const value = score.kind === BOOLEAN ? score.number === 1 : score.number;
    const member = `${JSON.stringify(leaf.path.at(-1))}:${JSON.stringify(value)}`;
    (leaf.kind === "feedback" ? feedback : derived).push(member);
  }
  if (feedback.length > 0) derived.unshift(`"feedback":{${feedback.join(",")}}`);
  return `{${derived.join(",")}}`;
}
