import { z } from "zod";
import type {
  LeaderboardAnswer,
  LeaderboardDimension,
  LeaderboardEntry,
  LeaderboardScore,
  LeaderboardTask,
} from "../../../respond/leaderboard/leaderboard.ts";
import type { Described } from "../../../respond/summary/described.ts";
import { countedTrials, slices, slicing } from "../../../respond/summary/scorer-stats.ts";
import { comparison, direction, standing } from "./compare-reply.ts";

const count = z.int();
const number = z.number().nullable();
const text = z.string().nullable();

export const dimension: z.ZodType<LeaderboardDimension> = z.object({
  scorer_key: z.string(),
  path: text,
  value_type: z.enum(["continuous", "binary"]),
  rate: z.literal(true).optional().describe("All numbers are 0 or 1: they are as true and false."),
  unit: z.literal("money").optional(),
  lower_is_better: z.boolean(),
  direction,
} satisfies Described<LeaderboardDimension>);

export const score: z.ZodType<LeaderboardScore> = z.object({
  row_mean: number,
  scored_row_count: count.describe("Rows with a value: the denominator of `row_mean`."),
  standard_error: number,
  confidence_interval: z.tuple([z.number(), z.number()]).nullable().describe("95 % interval of `row_mean`."),
  interval_method: z.enum(["wilson", "student-t", "clustered-t"]).nullable(),
  pass_rate: number,
  pass_true_count: count,
  pass_known_count: count.describe("Trials with the value true or false."),
  trial_count: count,
  missing_count: count,
  null_count: count,
  error_count: count,
  slices: slices.optional(),
  ...countedTrials,
} satisfies Described<LeaderboardScore>);

const task = z.object({
  name: text,
  evaluation_call_id: z.string(),
  rows: count,
  scored_rows: count,
  mean: number,
} satisfies Described<LeaderboardTask>);

const entry = z.object({
  evaluation_call_id: z.string(),
  display_name: text,
  model_ref: text,
  model: text,
  started_at: text,
  evaluation_count: count.describe("Evaluations that the entry was chosen from."),
  task_count: count.optional(),
  tasks: z.array(task).optional().describe("With `weights` alone."),
  row_count: count,
  trial_count: count,
  error_count: count,
  scores: z.array(score).describe("In the order of `dimensions`."),
  standing: standing.nullable(),
  rank_interval: z.tuple([count, count]).nullable(),
  tier: count.nullable(),
  against_best: comparison.nullable(),
  latency: z.object({ p50_seconds: number, trial_count: count }),
  tokens: z.object({ total: number, trial_count: count }),
  cost: z
    .object({ total: number, trial_count: count, carried_count: count })
    .nullable()
    .describe("Null where costs were not asked for."),
} satisfies Described<LeaderboardEntry>);

export const leaderboardSchema: z.ZodType<LeaderboardAnswer> = z
  .object({
    by: z.enum(["evaluation", "model"]),
    weights: z.enum(["rows", "tasks"]).optional(),
    dimensions: z.array(dimension),
    headline: count.nullable().describe("Index of the headline score in `dimensions`."),
    confidence: z.number(),
    adjust: z.enum(["ranges", "holm", "benjamini-hochberg", "none"]),
    family_size: count,
    row_count: count,
    slicing: slicing.optional(),
    entries: z.array(entry),
    warnings: z.array(z.string()),
    notes: z
      .array(z.string())
      .optional()
      .describe("With count_errors_as or count_nulls_as: what trials without a value count as."),
  } satisfies Described<LeaderboardAnswer>)
  .meta({ id: "LeaderboardAnswer" });
