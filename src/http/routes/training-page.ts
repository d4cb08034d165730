import { z } from "zod";
import { jsonAnswer, type Answer } from "../wire/answer.ts";
import type { OperationExample } from "../openapi/operation.ts";

/** A page of a list, as it is described. */
export function pageSchema<T extends z.ZodType>(item: T, id: string) {
  return z
    .object({
      object: z.literal("list"),
      data: z.array(item),
      first_id: z.string(),
      last_id: z.string(),
      has_more: z.boolean(),
    })
    .meta({ id });
}

/** A page of one item. */
export function pageExample(item: {
  readonly id: string;
  readonly [member: string]: unknown;
}): OperationExample {
  return { reply: { object: "list", data: [item], first_id: item.id, last_id: item.id, has_more: false } };
}

/** The answer with a page, which may be another one a moment later. */
export function pageAnswer(page: object): Answer {
  return jsonAnswer(JSON.stringify(page), { "cache-control": "no-store" });
}
