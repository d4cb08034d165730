import { z } from "zod";
import { recordQuery } from "../conditions/select-records.ts";

export const queryFeedbackRequest = recordQuery.meta({ id: "WeaveFeedbackQuery" });

export const feedbackReply = z
  .object({ result: z.array(z.looseObject({})), total_count: z.int() })
  .meta({ id: "WeaveFeedbackReply" });
