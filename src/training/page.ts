import { z } from "zod";
import { RequestError, requestFault } from "../errors.ts";
import { shown } from "../model/messages.ts";
import { checkArgument, plainText } from "../model/arguments.ts";
import type { PageRange } from "./stored.ts";

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

/** Selects a page of a list; every member is optional. */
export interface PageQuery {
  /** Id of the last item of the previous page. */
  readonly after?: string | undefined;
  /** Page size, 1 to 100; default 20. */
  readonly limit?: number | string | undefined;
  /** Sort order, `asc` or `desc`; default `asc`. */
  readonly order?: string | undefined;
}

const querySchema = z.strictObject({
  after: plainText.nullish(),
  limit: z.union([z.number(), z.string()], "must be a number").nullish(),
  order: z.string().nullish(),
});

/** One page of a list. `first_id` and `last_id` are empty on an empty page. */
export interface Page<T> {
  /** Always `list`. */
  readonly object: "list";
  /** The items. */
  readonly data: readonly T[];
  /** Id of the first item. */
  readonly first_id: string;
  /** Id of the last item, which is `after` of the next page. */
  readonly last_id: string;
  /** Whether more items follow the last one. */
  readonly has_more: boolean;
}

/**
 * Reads a page; one item more than requested shows whether more follow. An `after` that is not in the list throws
 * instead of starting again at the beginning, which would send a paging client in circles.
 */
export async function readPage<T extends { readonly id: string }>(
  query: PageQuery,
  has: (id: string) => Promise<boolean>,
  read: (range: PageRange) => Promise<readonly T[]>,
): Promise<Page<T>> {
  const asked = checkArgument(query, querySchema);
  const after = asked.after ?? null;
  const size = readLimit(asked.limit ?? DEFAULT_LIMIT);
  const order = readOrder(asked.order ?? "asc");
  if (after !== null && !(await has(after)))
    throw pageError("after", `no such item as ${shown(after)}`, "invalid_cursor");
  const found = await read({ after, order, limit: size + 1 });
  const data = found.slice(0, size);
  return {
    object: "list",
    data,
    first_id: data[0]?.id ?? "",
    last_id: data.at(-1)?.id ?? "",
    has_more: found.length > size,
  };
}

/** Accepts a number, or its decimal digits as in a query string. */
function readLimit(value: number | string): number {
  const limit = typeof value === "string" && !/^\d+$/.test(value) ? Number.NaN : Number(value);
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw pageError("limit", `must be an integer from 1 to ${MAX_LIMIT}, not ${shown(value)}`);
}

function readOrder(value: string): "asc" | "desc" {
  if (value === "asc" || value === "desc") return value;
  throw pageError("order", `must be 'asc' or 'desc', not ${shown(value)}`);
}

function pageError(name: string, msg: string, type = "invalid_value"): RequestError {
  return requestFault("schema", [name], msg, type);
}
