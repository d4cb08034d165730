import { z } from "zod";
import { projectId } from "../../model/arguments.ts";
import { querySchema } from "../conditions/operands.ts";

const sortBy = z
  .array(z.looseObject({ field: z.string(), direction: z.enum(["asc", "desc"]).nullish() }))
  .nullish();

export const queryFeedbackRequest = z
  .looseObject({
    project_id: projectId,
    query: querySchema.nullish(),
    fields: z.array(z.string()).nullish(),
    sort_by: sortBy,
    limit: z.int().nonnegative().nullish(),
    offset: z.int().nonnegative().nullish(),
  })
  .meta({ id: "WeaveFeedbackQuery" });

export const feedbackReply = z
  .object({ result: z.array(z.looseObject({})), total_count: z.int() })
  .meta({ id: "WeaveFeedbackReply" });
