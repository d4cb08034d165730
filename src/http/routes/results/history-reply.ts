import { z } from "zod";
import type { Described } from "../../../respond/summary/described.ts";
import type { HistoryAnswer, HistoryEntry, WorseSince } from "../../../respond/history/history.ts";
import { changes, comparison } from "./compare-reply.ts";
import { dimension, score } from "./leaderboard-reply.ts";

const count = z.int();
const text = z.string().nullable();

const since = z.object({
  evaluation_call_id: z.string().describe("The change lies not after this run."),
  last_good: z.string().describe("The change lies after this run."),
  reference: z.string(),
  before_mean: z.number().nullable(),
  after_mean: z.number().nullable(),
  confidence_interval: z.tuple([z.number(), z.number()]).nullable(),
} satisfies Described<WorseSince>);

const entry = z.object({
  evaluation_call_id: z.string(),
  label: z.string(),
  started_at: text,
  model: text,
  dataset: text,
  rows_digest: text,
  commit: text,
  branch: text,
  user: text.describe("Who stored it; null where nobody is known."),
  row_count: count,
  trial_count: count,
  error_count: count,
  scores: z.array(score).describe("In the order of `dimensions`."),
  position: count.nullable().describe("Place among all runs with a value in the headline score, from 1."),
  against_previous: comparison
    .nullable()
    .describe("The entry and the one before, compared alone in the headline score."),
  reference: text.describe("The run that a lasting loss is against."),
  against_reference: comparison.nullable().describe("The entry and its reference, compared likewise."),
  worse_since: since.nullable().describe("Since when runs are worse, as of this entry."),
  changes: changes.nullable(),
} satisfies Described<HistoryEntry>);

export const historySchema: z.ZodType<HistoryAnswer> = z
  .object({
    name: z.string(),
    dimensions: z.array(dimension),
    headline: count.nullable().describe("Index of the headline score in `dimensions`."),
    confidence: z.number(),
    adjust: z.enum(["holm", "benjamini-hochberg", "none"]),
    entries: z.array(entry).describe("By start, then id: the latest last."),
    cut: z
      .array(entry.pick({ evaluation_call_id: true, label: true, commit: true, position: true }))
      .describe("Runs that entries name, and that `limit` leaves out."),
    worse_since: since.nullable().describe("That of the latest entry."),
    warnings: z.array(z.string()),
  } satisfies Described<HistoryAnswer>)
  .meta({ id: "HistoryAnswer" });
