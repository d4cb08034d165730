import { purgeRequest } from "../../weave/conditions/named-ids.ts";
import { costsCreated, costsReply, createCostsBody, queryCostsRequest } from "../../weave/costs/requests.ts";
import { streamedRoute, weaveRoute } from "./weave-route.ts";
import { z } from "zod";

const project_id = "acme/qa";
const id = "0198b0d4-6a4f-7c0e-9f53-2f1f0a4f7c11";
const llm_id = "small-model";
const price = { prompt_token_cost: 1.5e-7, completion_token_cost: 6e-7 };
const stored = {
  id,
  llm_id,
  provider_id: "default",
  effective_date: "2026-01-31T12:00:00.000000Z",
  ...price,
  cache_read_input_token_cost: 0,
  cache_creation_input_token_cost: 0,
  prompt_token_cost_unit: "USD",
  completion_token_cost_unit: "USD",
  created_at: "2026-01-31T12:00:00.000000Z",
  created_by: "ann",
  pricing_level: "project",
  pricing_level_id: project_id,
};

export const costRoutes = [
  weaveRoute({
    path: "/cost/create",
    id: "weaveCreateCosts",
    summary: "Store what a token of a model costs in a project, from a time on",
    body: createCostsBody,
    reply: costsCreated,
    example: { request: { project_id, costs: { [llm_id]: price } }, reply: { ids: [[id, llm_id]] } },
    run: (text, { weave, caller }) => weave.createCosts(text, caller),
  }),
  streamedRoute({
    path: "/cost/query",
    id: "weaveQueryCosts",
    summary: "Prices of a project that a condition selects",
    body: queryCostsRequest,
    reply: costsReply,
    example: {
      request: { project_id, query: { $expr: { $eq: [{ $getField: "llm_id" }, { $literal: llm_id }] } } },
      reply: { results: [stored] },
    },
    pieces: (text, weave, caller) => weave.queryCosts(text, caller),
  }),
  weaveRoute({
    path: "/cost/purge",
    id: "weavePurgeCosts",
    summary: "Delete prices by id, for good",
    body: purgeRequest,
    reply: z.object({}).meta({ id: "WeaveCostsPurged" }),
    example: {
      request: { project_id, query: { $expr: { $in: [{ $getField: "id" }, [{ $literal: id }]] } } },
      reply: {},
    },
    run: (text, { weave, caller }) => weave.purgeCosts(text, caller),
  }),
];
