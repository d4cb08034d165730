import { z } from "zod";

const issue = z.object({
  loc: z.array(z.union([z.string(), z.int()])).meta({ examples: [["body", "sort_by", 0, "mode"]] }),
  msg: z.string(),
  type: z.string(),
});

export const plainErrorSchema = z
  .object({ reason: z.string(), detail: z.array(issue).optional() })
  .meta({ id: "PlainError", examples: [{ reason: "The request body is not valid JSON." }] });

export const apiErrorSchema = z
  .object({
    error: z.looseObject({
      message: z.string(),
      type: z.string().nullish(),
      param: z.string().nullish(),
      code: z.union([z.string(), z.number(), z.null()]).optional(),
    }),
    detail: z.array(issue).optional(),
  })
  .meta({
    id: "ApiError",
    examples: [
      {
        error: {
          message: "Authentication failed: no valid credentials were sent.",
          type: "invalid_request_error",
          param: null,
          code: "invalid_api_key",
        },
      },
    ],
  });
