import { z } from "zod";
import type { PlanAnswer } from "../../../respond/plan/plan-rows.ts";
import type { Described } from "../../../respond/summary/described.ts";

const count = z.int();
const number = z.number();

export const planSchema: z.ZodType<PlanAnswer> = z
  .object({
    scorer_key: z.string().nullable(),
    path: z.string().nullable(),
    rate: z.boolean().describe("Whether all values are 0 or 1."),
    detect: number,
    power: number,
    level: number.describe("Two-sided, of each comparison."),
    from: z.object({ evaluation_call_ids: z.array(z.string()), row_count: count, trials_per_row: number }),
    mean: number,
    between: number.describe("Variance of the true means of rows; of a pair of their differences."),
    within: number.describe("Variance of a trial about the true mean of its row."),
    correlation: number.nullable(),
    plans: z.array(
      z.object({
        trials: count,
        rows: count.nullable().describe("Null where no number of rows finds the difference."),
        calls: count.nullable(),
        found: number.nullable(),
      }),
    ),
    cheaper: count.nullable().describe("The trials of the plan with least calls."),
    notes: z.array(z.string()),
  } satisfies Described<PlanAnswer>)
  .meta({ id: "PlanAnswer" });
