import { z } from "zod";
import { QUERY_MEMBERS } from "./query-members.ts";
import { evalResultsRequest } from "./wire.ts";

/** Members with the same meaning as in a query, for descriptions; the query parser checks them. */
export const scopeWire = evalResultsRequest.pick(QUERY_MEMBERS).shape;

/** These members, which another parser checks. */
export function unchecked(shape: object): Record<string, z.ZodOptional<z.ZodUnknown>> {
  return Object.fromEntries(Object.keys(shape).map((name) => [name, z.unknown().optional()]));
}
