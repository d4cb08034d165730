import { z } from "zod";
import { plainText, projectId } from "../../model/arguments.ts";
import { parseUtcTimestamp } from "../../model/timestamp.ts";
import { recordQuery } from "../conditions/select-records.ts";

const amount = z.number().min(0);
const cached = amount.nullish().transform((price) => price ?? 0);
const unit = plainText.nullish().transform((name) => name ?? "USD");

/** What a token of a model costs, as it is stored; null: from now on. */
export const priceSchema = z.object({
  prompt_token_cost: amount,
  completion_token_cost: amount,
  cache_read_input_token_cost: cached,
  cache_creation_input_token_cost: cached,
  prompt_token_cost_unit: unit,
  completion_token_cost_unit: unit,
  effective_date: plainText
    .refine((text) => parseUtcTimestamp(text) !== null, "must be an ISO 8601 time")
    .nullish()
    .transform((text) => (text == null ? null : parseUtcTimestamp(text))),
  provider_id: plainText.nullish().transform((name) => name ?? "default"),
});

/** Prices are looked at one by one, since an object of JavaScript has an order of its own. */
export const createCostsRequest = z.looseObject({ project_id: projectId, costs: z.looseObject({}) });

export const createCostsBody = createCostsRequest
  .extend({ costs: z.record(z.string(), priceSchema).describe("What a token costs, by model") })
  .meta({ id: "WeaveCostsCreate" });

export const costsCreated = z
  .object({ ids: z.array(z.tuple([z.string(), z.string()])) })
  .meta({ id: "WeaveCostsCreated" });

export const queryCostsRequest = recordQuery.meta({ id: "WeaveCostsQuery" });

export const costsReply = z.object({ results: z.array(z.looseObject({})) }).meta({ id: "WeaveCostsReply" });
