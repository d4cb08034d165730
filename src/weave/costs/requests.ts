import { z } from "zod";
import { plainText, projectId, textList } from "../../model/arguments.ts";
import { parseUtcTimestamp } from "../../model/timestamp.ts";
import { querySchema } from "../conditions/operands.ts";
import { sortOrder } from "../conditions/order.ts";

const amount = z.number().min(0);

/** The time that a member says; null where it is left out. */
const time = plainText.nullish().transform((text, context) => {
  const found = text == null ? null : parseUtcTimestamp(text);
  if (text != null && found === null)
    context.addIssue({ code: "custom", message: "must be an ISO 8601 time" });
  return found;
});

/** What a token of a model costs. */
export const priceSchema = z.looseObject({
  prompt_token_cost: amount,
  completion_token_cost: amount,
  cache_read_input_token_cost: amount.nullish(),
  cache_creation_input_token_cost: amount.nullish(),
  prompt_token_cost_unit: plainText.nullish(),
  completion_token_cost_unit: plainText.nullish(),
  effective_date: time,
  provider_id: plainText.nullish(),
});

/** Names of models are looked at one by one, since an object of JavaScript has an order of its own. */
export const createCostsRequest = z
  .looseObject({ project_id: projectId, costs: z.looseObject({}) })
  .meta({ id: "WeaveCosts" });

export const createCostsBody = createCostsRequest
  .extend({ costs: z.record(z.string(), priceSchema).describe("What a token costs, by model") })
  .meta({ id: "WeaveCostsCreate" });

export const costsCreated = z
  .object({ ids: z.array(z.tuple([z.string(), z.string()])) })
  .meta({ id: "WeaveCostsCreated" });

export const queryCostsRequest = z
  .looseObject({
    project_id: projectId,
    query: querySchema.nullish(),
    fields: textList.nullish(),
    sort_by: sortOrder,
    limit: z.int().nonnegative().nullish(),
    offset: z.int().nonnegative().nullish(),
  })
  .meta({ id: "WeaveCostsQuery" });

export const costsReply = z.object({ results: z.array(z.looseObject({})) }).meta({ id: "WeaveCostsReply" });
