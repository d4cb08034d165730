import { z } from "zod";
import { jsonAnswer, type Answer } from "../wire/answer.ts";
import type { OperationExample } from "../openapi/operation.ts";

/** Schema of a page of a list. */
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

/** Example of a page with one item. */
export function pageExample(item: {
  readonly id: string;
  readonly [member: string]: unknown;
}): OperationExample {
  return { reply: { object: "list", data: [item], first_id: item.id, last_id: item.id, has_more: false } };
}

/** Answers with a page that must not be cached, since it may change at any moment. */
export function pageAnswer(page: object): Answer {
  return jsonAnswer(JSON.stringify(page), { "cache-control": "no-store" });
}
