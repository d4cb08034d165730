import { z } from "zod";
import type { ComparisonAnswer } from "../../../respond/compare/comparison.ts";

const count = z.int();
const number = z.number().nullable();

const comparison = z.object({
  candidate: z.string(),
  scorer_key: z.string(),
  path: z.string().nullable(),
  value_type: z.enum(["continuous", "binary"]),
  n_common: count.describe("Rows with a value in both evaluations; only these are compared."),
  n_only_baseline: count,
  n_only_candidate: count,
  n_missing_baseline: count,
  n_missing_candidate: count,
  baseline_mean: number,
  candidate_mean: number,
  difference: number.describe("Mean of candidate - baseline over the common rows; unit: score."),
  standard_error: number,
  confidence_interval: z.tuple([z.number(), z.number()]).nullable(),
  method: z.enum(["mcnemar-exact", "paired-t", "clustered-t", "sign-exact"]).nullable(),
  p_value: number,
  p_value_adjusted: number.describe("Adjusted for the `family_size` comparisons of the answer."),
  equivalence_p_value_adjusted: number,
  verdict: z.enum(["improved", "regressed", "equivalent", "inconclusive"]),
  minimum_detectable_effect: number,
  rows_improved: count,
  rows_regressed: count,
  rows_tied: count,
  counted_error_count: count
    .optional()
    .describe("With count_errors_as: trials in error of both that count as a value."),
});

export const comparisonSchema: z.ZodType<ComparisonAnswer> = z
  .object({
    confidence: z.number(),
    adjust: z.enum(["benjamini-hochberg", "holm", "none"]),
    family_size: count,
    comparisons: z.array(comparison),
    warnings: z.array(z.string()),
    notes: z.array(z.string()).optional().describe("With count_errors_as: what trials in error count as."),
  })
  .meta({ id: "ComparisonAnswer" });
