import { z } from "zod";
import type { Changes } from "../../../respond/compare/changes.ts";
import type { Comparison, ComparisonAnswer, ScoreRank } from "../../../respond/compare/comparison.ts";
import type { ComparisonMethod } from "../../../respond/compare/estimate.ts";
import type { ComparedSlicing, ExplainedBy, Slice } from "../../../respond/compare/slices.ts";
import type { Described } from "../../../respond/summary/described.ts";
import { countedTrials } from "../../../respond/summary/scorer-stats.ts";

/** Nothing that only describes is compared. */
type Slicing = Omit<ComparedSlicing, "descriptive">;

const count = z.int();
const number = z.number().nullable();

const METHODS = {
  "mcnemar-mid-p": true,
  "paired-t": true,
  "clustered-t": true,
  "sign-exact": true,
  ppi: true,
  "welch-t": true,
} satisfies Record<ComparisonMethod, true>;
const method = z.enum(Object.keys(METHODS) as ComparisonMethod[]).nullable();
const verdict = z.enum(["improved", "regressed", "moved", "equivalent", "inconclusive"]);
const value = z.array(z.union([z.string(), z.number(), z.boolean()])).describe("One entry a field.");

const bounds = z.tuple([z.number(), z.number()]).nullish();
const claim = z.number().nullish();

const slice = z.object({
  value,
  n_common: count,
  baseline_mean: number,
  candidate_mean: number,
  difference: number,
  standard_error: number,
  confidence_interval: z.tuple([z.number(), z.number()]).nullable(),
  method,
  p_value: number,
  p_value_adjusted: number.describe("Adjusted over all slices of the answer."),
  verdict,
  equivalence_interval: bounds,
  rows_improved: count,
  rows_regressed: count,
  rows_tied: count,
  contribution: number.describe("What the slice adds to the whole difference; unit: score."),
  range: z
    .tuple([z.number(), z.number()])
    .optional()
    .describe("With `by.usage` alone: least and largest value of its rows in the run `of`."),
  reason: z.string().optional().describe("Why it is not judged: `of` is one of the two compared."),
} satisfies Described<Slice>);

const explained = z.object({
  value,
  contribution: z.number(),
  share: z.number(),
  n_common: count,
  difference: z.number(),
  rest_n_common: count,
  rest_difference: z.number(),
  p_value_adjusted: z.number(),
} satisfies Described<ExplainedBy>);

export const direction = z
  .enum(["higher", "lower"])
  .nullable()
  .describe("Which way is good; null where nobody says, and then nothing is better or worse.");

export const comparison = z.object({
  baseline: z.string(),
  candidate: z.string(),
  scorer_key: z.string(),
  path: z.string().nullable(),
  value_type: z.enum(["continuous", "binary"]),
  rate: z.literal(true).optional().describe("All numbers are 0 or 1: they are as true and false."),
  unit: z.literal("money").optional().describe("Of costs alone, of which less is better."),
  direction,
  n_common: count.describe("Rows with a value in both evaluations; only these are compared."),
  task_count: count.optional().describe("By model alone: tasks with such rows."),
  n_only_baseline: count,
  n_only_candidate: count,
  n_missing_baseline: count,
  n_missing_candidate: count,
  n_edited: count.describe("Shared rows whose contents differ under one key, left out or not."),
  baseline_mean: number,
  candidate_mean: number,
  difference: number.describe("Mean of candidate - baseline over the common rows; unit: score."),
  standard_error: number,
  confidence_interval: z.tuple([z.number(), z.number()]).nullable(),
  adjusted_confidence_interval: z
    .tuple([z.number(), z.number()])
    .nullable()
    .describe("Adjusted for the `family_size` comparisons of the answer."),
  method,
  p_value: number,
  p_value_adjusted: number.describe("Adjusted for the `family_size` comparisons of the answer."),
  equivalence_p_value_adjusted: number,
  equivalence_p_value: claim.describe("With `margin` alone, as the next five."),
  equivalence_interval: bounds.describe(
    "Differences that neither one-sided test rejects at α / `family_size`; with `adjust: none` at α.",
  ),
  not_worse: z
    .boolean()
    .nullish()
    .describe(
      "Whether it is shown to be worse by less than `margin`, or not at all; null without a direction.",
    ),
  not_worse_p_value: claim,
  not_worse_p_value_adjusted: claim,
  worst_loss: claim.describe("How much worse it may be at that level; unit: score."),
  verdict,
  alone: z
    .object({ p_value_adjusted: number, verdict })
    .optional()
    .describe("With several pairs: what an answer about this pair alone says."),
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
  ...countedTrials,
  n_without_field: count.optional().describe("With fields in `by`: common rows that are in no slice."),
  slices: z
    .array(slice)
    .optional()
    .describe("With fields in `by`: largest contribution first, in the direction of the difference."),
  explained_by: explained
    .nullish()
    .describe("The slice that more than half of a shown difference comes from; null where none stands out."),
} satisfies Described<Comparison>);

const slicing = z.object({
  fields: z.array(z.string()),
  slice_count: count,
  overlapping: z.boolean(),
  others: z.array(z.object({ value, row_count: count })),
  family_size: count.describe("Slices with a p value, of all comparisons and all fields tried."),
  fields_tried: z.array(z.string()).optional().describe("With `by: auto` alone."),
  of: z.string().optional().describe("With `by.usage` alone, as the next two: the run that made the slices."),
  bins: count.optional(),
  judged: z.boolean().optional().describe("False where `of` is one of two that are compared."),
} satisfies Described<Slicing>);

export const standing = z.enum(["best", "not_shown_worse", "worse", "moved"]);

const change = <T extends z.ZodType>(of: T) => z.tuple([of, of]).nullable();
const names = z.array(z.string());

export const changes = z
  .object({
    baseline: z.string(),
    candidate: z.string(),
    text: z.string(),
    model: change(z.string()),
    dataset: change(z.string()),
    rows: z.object({ same: count, added: count, removed: count, edited: count }),
    scorers: z.object({ added: names, removed: names, redefined: names }),
    trials_per_row: change(count),
    commits: change(z.string()),
  } satisfies Described<Changes>)
  .describe("What changed from the baseline to the candidate beside the scores; pairs are before and now.");

const rank = z.object({
  evaluation_call_id: z.string(),
  scorer_key: z.string(),
  path: z.string().nullable(),
  standing: standing,
  rank_interval: z.tuple([count, count]).describe("The places that the evaluation may have, 1 the best."),
  tier: count,
} satisfies Described<ScoreRank>);

export const comparisonSchema: z.ZodType<ComparisonAnswer> = z
  .object({
    confidence: z.number(),
    adjust: z.enum(["ranges", "holm", "benjamini-hochberg", "none"]),
    family_size: count,
    comparisons: z.array(comparison),
    changes: z.array(changes).describe("One a pair of a baseline and a candidate."),
    slicing: slicing.optional().describe("With fields in `by`: how the common rows fall into slices."),
    ranks: z.array(rank).nullable().describe("Null unless `baseline_is_best`."),
    warnings: z.array(z.string()),
    notes: z
      .array(z.string())
      .optional()
      .describe("What trials without a value count as, and why slices are not judged."),
  } satisfies Described<ComparisonAnswer>)
  .meta({ id: "ComparisonAnswer" });
