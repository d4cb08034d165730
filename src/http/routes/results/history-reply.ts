import { z } from "zod";
import type { HistoryAnswer } from "../../../respond/history/history.ts";
import { comparison } from "./compare-reply.ts";
import { dimension, score } from "./leaderboard-reply.ts";

const count = z.int();
const text = z.string().nullable();

const entry = z.object({
  evaluation_call_id: z.string(),
  label: z.string(),
  started_at: text,
  model: text,
  commit: text,
  branch: text,
  row_count: count,
  trial_count: count,
  error_count: count,
  scores: z.array(score).describe("In the order of `dimensions`."),
  against_previous: comparison.nullable().describe("The headline score compared with the entry before."),
  against_best: comparison.nullable().describe("The same with the best entry; null for that one."),
});

export const historySchema: z.ZodType<HistoryAnswer> = z
  .object({
    name: z.string(),
    dimensions: z.array(dimension),
    headline: count.nullable().describe("Index of the headline score in `dimensions`."),
    confidence: z.number(),
    adjust: z.enum(["holm", "benjamini-hochberg", "none"]),
    family_size: count,
    entries: z.array(entry).describe("By start, then id: the latest last."),
    worse_since: z
      .object({ evaluation_call_id: z.string(), last_good: z.string() })
      .nullable()
      .describe("Null unless the latest entry is shown worse than the best."),
    warnings: z.array(z.string()),
  })
  .meta({ id: "HistoryAnswer" });
