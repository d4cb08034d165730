import { z } from "zod";
import { ITEM_FLAGS, type Item, type ItemsAnswer } from "../../../respond/items/items.ts";
import type { Described } from "../../../respond/summary/described.ts";

const count = z.int();
const number = z.number().nullable();

const item = z.object({
  row_digest: z.string(),
  mean: z.number().describe("Over evaluations; of each the mean of its trials."),
  trial_count: count,
  evaluation_count: count,
  passed_count: count.nullable().describe("Evaluations with 1; null unless all values are 0 or 1."),
  discrimination: number.describe("Correlation with the mean over the other rows, over evaluations."),
  discrimination_interval: z.tuple([z.number(), z.number()]).nullable(),
  p_value: number,
  p_value_adjusted: number.describe("By Holm over all rows."),
  flags: z.array(z.enum(ITEM_FLAGS)),
} satisfies Described<Item>);

export const itemsSchema: z.ZodType<ItemsAnswer> = z
  .object({
    scorer_key: z.string(),
    path: z.string().nullable(),
    evaluations: z.array(z.string()).describe("Ids of those that have a value."),
    confidence: z.number(),
    row_count: count,
    counts: z.object({
      all_right: count,
      none_right: count,
      negative: count.describe("Rows that the worse evaluations answer better."),
      unstable: count.describe("Rows on which trials of one evaluation differ."),
      nothing_apart: count.describe("Rows on which all values are equal."),
    }),
    rows: z.array(item),
    sentence: z.string(),
    warnings: z.array(z.string()),
  } satisfies Described<ItemsAnswer>)
  .meta({ id: "ItemsAnswer" });
