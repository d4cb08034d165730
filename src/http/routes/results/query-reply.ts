import { z } from "zod";
import type {
  EvalResultsResponse,
  ResultRow,
  RowEvaluation,
  Trial,
} from "../../../respond/query/response.ts";
import { summarySchema } from "../../../respond/summary/scorer-stats.ts";

function bytesOfWhole(name: string) {
  return z
    .int()
    .optional()
    .meta({ description: `bytes of the whole ${name}, where long_values cut it` });
}

const trial = z.object({
  predict_and_score_call_id: z.string(),
  predict_call_id: z.string().nullable(),
  model_output: z.unknown(),
  output_bytes: bytesOfWhole("model_output"),
  scores: z.looseObject({}),
  model_latency_seconds: z.number().nullable(),
  total_tokens: z.int().nullable(),
  scorer_call_ids: z.record(z.string(), z.string()),
  total_cost: z.number().nullable().meta({ description: "null without include_costs" }),
  genai_span_ref: z.array(z.object({ span_id: z.string(), trace_id: z.string() })).nullable(),
  error: z.string().nullable().optional().meta({
    description: "with include_trial_errors: the exception of the trial's call or its predict call",
  }),
  details: z.unknown().optional().meta({ description: "with include_details" }),
} satisfies Record<keyof Trial, z.ZodType>);

const row = z.object({
  row_digest: z.string(),
  raw_data_row: z.unknown(),
  row_bytes: bytesOfWhole("raw_data_row"),
  edited: z.literal(true).optional().meta({
    description:
      "where the evaluations hold different rows under one key: raw_data_row is that of the one that started last",
  }),
  evaluations: z.array(
    z.object({
      evaluation_call_id: z.string(),
      trials: z.array(trial),
      raw_data_row: z.unknown().optional().meta({ description: "of an edited row, that of this evaluation" }),
      row_bytes: bytesOfWhole("raw_data_row"),
    } satisfies Record<keyof RowEvaluation, z.ZodType>),
  ),
} satisfies Record<keyof ResultRow, z.ZodType>);

export const evalResultsSchema = z
  .object({
    rows: z.array(row),
    total_rows: z.int(),
    summary: summarySchema.nullable(),
    warnings: z.array(z.string()),
  } satisfies Record<keyof EvalResultsResponse, z.ZodType>)
  .meta({ id: "EvalResults" });
