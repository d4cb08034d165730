import { z } from "zod";
import { DURATION_RULE, readDuration } from "../model/duration.ts";

const duration = z
  .string()
  .refine((text) => readDuration(text) !== null, DURATION_RULE)
  .meta({ examples: ["90d"] });

const dryRun = z.boolean().nullish().meta({ description: "Only tells what would go" });

const byIds = z.strictObject({ ids: z.array(z.string().min(1)).max(10_000), dry_run: dryRun });

const byAge = z.strictObject({
  older_than: duration.meta({ description: "Since their start: a whole number and h, d or w" }),
  keep_latest: z
    .int()
    .min(0)
    .nullish()
    .meta({ description: "How many of each name stay at least, beside those that are kept" }),
  name: z.string().nullish().meta({ description: "Only evaluations of this name" }),
  user: z.string().nullish().meta({ description: "Only evaluations that this user stored" }),
  all: z.boolean().nullish().meta({ description: "Also baselines and those with feedback" }),
  dry_run: dryRun,
});

/** The wire format of what names evaluations to delete. */
export const deleteRequestWire = z.union([byIds, byAge]).meta({ id: "DeleteEvaluations" });

export type DeleteRequest = z.input<typeof deleteRequestWire>;
