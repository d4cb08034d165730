import { z } from "zod";
import type { Described } from "../../../respond/summary/described.ts";
import type { BesideAnswer, BesideLine, BesideTrial } from "../../../respond/steps/beside.ts";
import type { StepsAnswer } from "../../../respond/steps/answer.ts";
import type { DiffAnswer, DiffPair, DiffTotals, FirstDifference } from "../../../respond/steps/diff.ts";
import type { EvaluationTools, ToolsAnswer } from "../../../respond/steps/tools-answer.ts";
import type { ToolOutcomes, ToolStats } from "../../../respond/steps/tools.ts";
import type { ShownStep, TrialAnswer, TrialCounts } from "../../../respond/steps/trial.ts";

const count = z.int();
const counted = count.nullable();
const number = z.number().nullable();
const text = z.string();
const said = text.nullable();
const warnings = z.array(text);

const outcomes = z.object({
  trials: count,
  passed: count,
  failed: count,
  rate: number,
} satisfies Described<ToolOutcomes>);

const tool = z.object({
  name: text,
  calls: count,
  known_calls: count.describe("Calls of which it is known whether they failed."),
  errors: counted,
  error_rate: number,
  repeats: count,
  mean_seconds: number,
  trials: count,
  rows: count,
  with_error: outcomes,
  without_error: outcomes,
  difference: number.describe("Rate with an error less rate without."),
  confidence_interval: z.tuple([z.number(), z.number()]).nullable(),
  p_value: number,
  p_value_adjusted: number,
  association: z.enum(["lower", "higher", "not_shown"]),
  within_rows: z.object({ rows: count, difference: number }),
  error_types: z.array(z.object({ text, count })),
} satisfies Described<ToolStats>);

const evaluation = z.object({
  evaluation_call_id: text,
  label: text,
  trial_count: count,
  trials_with_steps: count,
  chats: count,
  tool_calls: count,
  tool_errors: counted,
  repeats: count,
  tool_count: count,
  tools: z.array(tool),
} satisfies Described<EvaluationTools>);

export const toolsSchema: z.ZodType<ToolsAnswer> = z.object({
  view: z.literal("tools"),
  success: said,
  confidence: z.number(),
  adjust: z.enum(["holm", "benjamini-hochberg", "none"]),
  family_size: count,
  evaluations: z.array(evaluation),
  warnings,
} satisfies Described<ToolsAnswer>);

const step = z.object({
  step: counted.describe("Null of a frame."),
  turn: counted,
  operation: z.enum(["chat", "execute_tool", "invoke_agent"]),
  name: said,
  model: said,
  started_at: said,
  duration_seconds: number,
  input_tokens: number,
  output_tokens: number,
  cached_tokens: number,
  cost: number,
  finish_reason: said,
  error_type: said,
  action: said,
  call_id: text,
  parent_id: text,
  repeat_of: counted,
  depth: count,
  input: z.json().optional(),
  output: z.json().optional(),
} satisfies Record<keyof ShownStep, z.ZodType>);

const counts = z.object({
  chats: counted,
  tools: counted,
  errors: counted,
  tool_errors: counted,
  repeats: counted,
  first_error: counted,
  input_tokens: number,
  output_tokens: number,
  cached_tokens: number,
  cost: number,
  seconds: number,
} satisfies Described<TrialCounts>);

const trial = z.object({
  view: z.literal("trial"),
  trial_id: text,
  evaluation_call_id: text,
  row_digest: text,
  success: said,
  passed: z.boolean().nullable(),
  error: said,
  stop_reason: said,
  counts,
  step_count: count.describe("Steps and frames."),
  steps: z.array(step),
  warnings,
} satisfies Record<keyof TrialAnswer, z.ZodType>);

const difference = z
  .object({
    index: count,
    step: counted,
    name: said,
    other_step: counted,
    other_name: said,
  } satisfies Described<FirstDifference>)
  .nullable();

const pair = z.object({
  evaluation_call_id: text,
  row_digest: text,
  trial_id: text,
  other_trial_id: text,
  actions: count,
  other_actions: count,
  common_actions: count,
  common_names: count,
  first_difference: difference,
} satisfies Described<DiffPair>);

const totals = z.object({
  rows: count,
  trials: count,
  identical: count,
  median_index: number,
  at: z.array(z.object({ index: count, trials: count, rows: count })),
  instead: z.array(z.object({ name: said, other_name: said, trials: count, rows: count })),
} satisfies Described<DiffTotals>);

export const diffSchema = z.object({
  view: z.literal("diff"),
  success: said,
  totals,
  pair_count: count,
  pairs: z.array(pair),
  warnings,
} satisfies Described<DiffAnswer>);

const besideTrial = z.object({
  trial_id: text,
  evaluation_call_id: text,
  row_digest: text,
  passed: z.boolean().nullable(),
  actions: count,
} satisfies Described<BesideTrial>);

const line = z.object({ steps: z.array(counted), same: z.boolean() } satisfies Described<BesideLine>);
const commons = z.union([count, z.array(count)]).describe("A list where there are three trials.");

const beside = z.object({
  view: z.literal("diff"),
  trials: z.array(besideTrial),
  common_actions: commons,
  common_names: commons,
  first_difference: z.union([difference, z.array(difference)]),
  line_count: count,
  lines: z.array(line),
  warnings,
} satisfies Record<keyof BesideAnswer, z.ZodType>);

/** One of four, by the view and whether trials are named. */
export const stepsSchema = z
  .union([toolsSchema, trial, diffSchema, beside])
  .meta({ id: "StepsAnswer" }) as z.ZodType<StepsAnswer>;
