import { z } from "zod";
import { DURATION_RULE, readDuration } from "../model/duration.ts";

const duration = z
  .string()
  .refine((text) => readDuration(text) !== null, DURATION_RULE)
  .meta({ examples: ["90d"] });

const dryRun = z.boolean().nullish().meta({ description: "Only tells what would go" });

const byIds = z.strictObject({ ids: z.array(z.string().min(1)).max(10_000).readonly(), dry_run: dryRun });

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
export const deleteRequestWire = z
  .union([byIds, byAge], "one of ids and older_than is needed")
  .meta({ id: "DeleteEvaluations" }) satisfies z.ZodType<unknown, DeleteRequest>;

/** The evaluations to delete: by id, or by their age. */
export type DeleteRequest =
  | {
      /** At most 10,000. */
      readonly ids: readonly string[];
      /** Whether it only tells what would go. */
      readonly dry_run?: boolean | null | undefined;
    }
  | {
      /** Since their start: a whole number and `h`, `d` or `w`, such as `90d`. */
      readonly older_than: string;
      /** How many of each name stay at least, beside those that are kept. */
      readonly keep_latest?: number | null | undefined;
      /** Only evaluations of this name. */
      readonly name?: string | null | undefined;
      /** Only evaluations that this user stored. */
      readonly user?: string | null | undefined;
      /** Also baselines and those with feedback. */
      readonly all?: boolean | null | undefined;
      /** Whether it only tells what would go. */
      readonly dry_run?: boolean | null | undefined;
    };
