/** Names that a deployment may choose; loading depends on them. */
export interface Conventions {
  /** Op names of predict-and-score calls. */
  readonly predictAndScoreOps: readonly string[];
  /** Members of `attributes` that mark a score call. */
  readonly attributeNamespaces: readonly string[];
}

export const DEFAULT_CONVENTIONS: Conventions = {
  predictAndScoreOps: ["Evaluation.predict_and_score", "Evaluation.predictAndScore"],
  attributeNamespaces: ["svc", "weave"],
};

/** The type of the feedback on a run that others are compared with. */
export const BASELINE_TYPE = "evalcube.baseline.1";
