import type { ScorePath, VirtualLeaf } from "./plan.ts";

/** What holds for every dimension of a kind, however its values are computed. */
interface DimensionTraits {
  /**
   * Whether it is a score of a trial. What is none stands in answers beside the scores that are named, is no headline
   * unless it is named, and a failed trial counts as nothing there.
   */
  readonly isScore: boolean;
  /** Which side is better where nobody says it. */
  readonly better: "lower" | null;
  readonly unit?: "money";
}

const SCORE: DimensionTraits = { isScore: true, better: null };

const TRAITS: Readonly<Record<VirtualLeaf["kind"], DimensionTraits>> = {
  derived: SCORE,
  consensus: SCORE,
  feedback: SCORE,
  usage: { isScore: false, better: "lower" },
  steps: { isScore: false, better: null },
  faults: { isScore: false, better: "lower" },
  difficulty: { isScore: false, better: null },
  cost: { isScore: false, better: "lower", unit: "money" },
};

/** The traits of a dimension; a stored one is a score. */
export function traitsOf({ kind }: Pick<ScorePath, "kind">): DimensionTraits {
  return kind === undefined ? SCORE : TRAITS[kind];
}

/** The member that says a dimension's unit, if it has one. */
export function unitOf(path: Pick<ScorePath, "kind">): Pick<DimensionTraits, "unit"> {
  const { unit } = traitsOf(path);
  return unit === undefined ? {} : { unit };
}
