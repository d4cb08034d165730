import { z } from "zod";
import type { ComparisonAnswer } from "../../../respond/compare/comparison.ts";

const count = z.int();
const number = z.number().nullable();

export const comparison = z.object({
  baseline: z.string(),
  candidate: z.string(),
  scorer_key: z.string(),
  path: z.string().nullable(),
  value_type: z.enum(["continuous", "binary"]),
  unit: z.literal("money").optional().describe("Of costs alone, of which less is better."),
  n_common: count.describe("Rows with a value in both evaluations; only these are compared."),
  task_count: count.optional().describe("By model alone: tasks with such rows."),
  n_only_baseline: count,
  n_only_candidate: count,
  n_missing_baseline: count,
  n_missing_candidate: count,
  baseline_mean: number,
  candidate_mean: number,
  difference: number.describe("Mean of candidate - baseline over the common rows; unit: score."),
  standard_error: number,
  confidence_interval: z.tuple([z.number(), z.number()]).nullable(),
  adjusted_confidence_interval: z
    .tuple([z.number(), z.number()])
    .nullable()
    .describe("Adjusted for the `family_size` comparisons of the answer."),
  method: z.enum(["mcnemar-mid-p", "paired-t", "clustered-t", "sign-exact", "ppi", "welch-t"]).nullable(),
  p_value: number,
  p_value_adjusted: number.describe("Adjusted for the `family_size` comparisons of the answer."),
  equivalence_p_value_adjusted: number,
  verdict: z.enum(["improved", "regressed", "equivalent", "inconclusive"]),
  reason: z.string().nullable().describe("Why there is no test; null where there is one."),
  minimum_detectable_effect: number.describe(
    "Null unless inconclusive: the |difference| that would have been found four times in five.",
  ),
  rows_to_detect: number.describe(
    "Rows that would find a difference as small as this one four times in five.",
  ),
  correction: z
    .object({
      human: z.string(),
      n_labelled: count,
      n_unlabelled: count,
      lambda: number,
      human_difference: number,
      judge_difference_labelled: number,
      judge_difference_unlabelled: number,
    })
    .nullable()
    .describe("How labels of people corrected the difference; null without `corrected_by`."),
  rows_improved: count,
  rows_regressed: count,
  rows_tied: count,
  counted_error_count: count
    .optional()
    .describe("With count_errors_as: trials in error of both that count as a value."),
});

const rank = z.object({
  evaluation_call_id: z.string(),
  scorer_key: z.string(),
  path: z.string().nullable(),
  standing: z.enum(["best", "not_shown_worse", "worse"]),
  rank_interval: z.tuple([count, count]).describe("The places that the evaluation may have, 1 the best."),
  tier: count,
});

export const comparisonSchema: z.ZodType<ComparisonAnswer> = z
  .object({
    confidence: z.number(),
    adjust: z.enum(["ranges", "holm", "benjamini-hochberg", "none"]),
    family_size: count,
    comparisons: z.array(comparison),
    ranks: z.array(rank).nullable().describe("Null unless `baseline_is_best`."),
    warnings: z.array(z.string()),
    notes: z.array(z.string()).optional().describe("With count_errors_as: what trials in error count as."),
  })
  .meta({ id: "ComparisonAnswer" });
