import { z } from "zod";
import { requestFault } from "../../errors.ts";
import { projectId } from "../../model/arguments.ts";

const idField = z.strictObject({ $getField: z.string() });
const literal = z.strictObject({ $literal: z.unknown() });
const equal = z.strictObject({ $eq: z.tuple([idField, literal]) });
const within = z.strictObject({ $in: z.tuple([idField, z.array(literal)]) });
const either = z.strictObject({ $or: z.array(z.union([equal, within])) });

type Expression = z.output<typeof either> | z.output<typeof equal> | z.output<typeof within>;

/** What a purge of feedback or prices asks. */
export const purgeRequest = z
  .strictObject({
    project_id: projectId,
    query: z
      .strictObject({ $expr: z.looseObject({}) })
      .meta({ description: "`id` equal to a text (`$eq`), among texts (`$in`), or an `$or` of these" }),
  })
  .meta({ id: "PurgeById" });

/** The ids that an expression names; throws 400 on an expression of another form. */
export function idsOf(expression: unknown): string[] {
  const parsed = z.union([equal, within, either]).safeParse(expression);
  const ids = parsed.success ? idsIn(parsed.data) : null;
  if (ids !== null) return ids;
  const msg =
    'must say which ids: { "$eq": [{ "$getField": "id" }, { "$literal": "…" }] }, $in, or $or of these';
  throw requestFault("meaning", ["query", "$expr"], msg, "unsupported_query");
}

/** Null where a part is about another field, or compares with what is no text. */
function idsIn(expression: Expression): string[] | null {
  if ("$or" in expression) {
    const parts = expression.$or.map(idsIn);
    return parts.every((part) => part !== null) ? parts.flat() : null;
  }
  const [field, values] =
    "$eq" in expression ? ([expression.$eq[0], [expression.$eq[1]]] as const) : expression.$in;
  const ids = values.map(({ $literal }) => $literal).filter((value) => typeof value === "string");
  return field.$getField === "id" && ids.length === values.length ? ids : null;
}
