import { compareRequestWire, type CompareRequest } from "../../../request/compare-request.ts";
import type { OperationExample } from "../../openapi/operation.ts";
import { comparisonSchema } from "./compare-reply.ts";
import { statistic } from "./statistics.ts";

const example: OperationExample = {
  request: { baseline: "run-1", candidates: ["run-2"], scorers: ["correct"], confidence: 0.95 },
  reply: {
    confidence: 0.95,
    adjust: "holm",
    family_size: 1,
    comparisons: [
      {
        baseline: "run-1",
        candidate: "run-2",
        scorer_key: "correct",
        path: null,
        value_type: "continuous",
        direction: null,
        n_common: 3,
        n_only_baseline: 1,
        n_only_candidate: 0,
        n_missing_baseline: 0,
        n_missing_candidate: 0,
        n_edited: 0,
        baseline_mean: 0.6666666666666666,
        candidate_mean: 0.8333333333333334,
        difference: 0.16666666666666666,
        standard_error: 0.16666666666666666,
        confidence_interval: [-0.5504421620083186, 0.8837754953416519],
        adjusted_confidence_interval: [-0.5504421620083186, 0.8837754953416519],
        method: "paired-t",
        p_value: 0.42264973081037427,
        p_value_adjusted: 0.42264973081037427,
        equivalence_p_value_adjusted: null,
        verdict: "inconclusive",
        reason: null,
        minimum_detectable_effect: 1.59441,
        rows_to_detect: 29,
        correction: null,
        rows_improved: 1,
        rows_regressed: 0,
        rows_tied: 2,
      },
    ],
    changes: [
      {
        baseline: "run-1",
        candidate: "run-2",
        text: "1 row removed",
        model: null,
        dataset: null,
        rows: { same: 3, added: 0, removed: 1, edited: 0 },
        scorers: { added: [], removed: [], redefined: [] },
        trials_per_row: null,
        commits: null,
      },
    ],
    ranks: null,
    warnings: [],
  },
};

export const compareResults = statistic(
  "compare",
  (engine, project, request, options) =>
    engine.compareEvaluations(project, request as CompareRequest, options),
  {
    id: "compareEvaluations",
    summary: "Candidates against a baseline, on the rows that they share",
    body: compareRequestWire,
    reply: comparisonSchema,
    example,
  },
);
