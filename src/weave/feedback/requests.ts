import { z } from "zod";
import { projectId, textList } from "../../model/arguments.ts";
import { sortOrder } from "../conditions/order.ts";
import { querySchema } from "../conditions/operands.ts";

export const queryFeedbackRequest = z
  .looseObject({
    project_id: projectId,
    query: querySchema.nullish(),
    fields: textList.nullish(),
    sort_by: sortOrder,
    limit: z.int().nonnegative().nullish(),
    offset: z.int().nonnegative().nullish(),
  })
  .meta({ id: "WeaveFeedbackQuery" });

export const feedbackReply = z
  .object({ result: z.array(z.looseObject({})), total_count: z.int() })
  .meta({ id: "WeaveFeedbackReply" });
