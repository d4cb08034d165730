import { z } from "zod";
import { RequestError } from "../../errors.ts";
import { checkArgument, projectId } from "../../model/arguments.ts";
import { nextTurn } from "../../model/turns.ts";
import { checkProject } from "../keys/credentials.ts";
import { jsonAnswer } from "../wire/answer.ts";
import { parseRequestJson, readBodyText } from "./read-request.ts";
import type { ProtectedRoute } from "./route.ts";

const MAX_DEPTH = 16;

const idField = z.strictObject({ $getField: z.string() });
const literal = z.strictObject({ $literal: z.unknown() });
const equal = z.strictObject({ $eq: z.tuple([idField, literal]) });
const within = z.strictObject({ $in: z.tuple([idField, z.array(literal)]) });
const either = z.strictObject({ $or: z.array(z.union([equal, within])) });

type Expression = z.output<typeof either> | z.output<typeof equal> | z.output<typeof within>;

const purgeSchema = z
  .strictObject({
    project_id: projectId,
    query: z
      .strictObject({ $expr: z.looseObject({}) })
      .meta({ description: "`id` equal to a text (`$eq`), among texts (`$in`), or an `$or` of these" }),
  })
  .meta({ id: "FeedbackPurge" });

/** Deletes by id only, as a condition on anything else would delete more than was seen. */
export const purgeFeedbackRoute: ProtectedRoute = {
  method: "POST",
  path: "/feedback/purge",
  access: "basic",
  id: "purgeFeedback",
  summary: "Delete feedback by id, for good",
  body: purgeSchema,
  reply: z.object({}).meta({ id: "FeedbackPurged" }),
  example: {
    request: {
      project_id: "acme/qa",
      query: { $expr: { $eq: [{ $getField: "id" }, { $literal: "0198b0d4-6a4f-7c0e-9f53-2f1f0a4f7c11" }] } },
    },
    reply: {},
  },
  async run({ engine, limits }, request, principal) {
    const body = parseRequestJson(await readBodyText(request, limits.other), MAX_DEPTH, limits);
    const { project_id, query } = checkArgument(body, purgeSchema);
    checkProject(principal, project_id);
    request.trace.project = project_id;
    await nextTurn();
    await engine.feedback.purge(project_id, { ids: idsOf(query.$expr) });
    return jsonAnswer("{}");
  },
};

/** The ids that an expression names; throws 400 on an expression of another form. */
function idsOf(expression: unknown): string[] {
  const parsed = z.union([equal, within, either]).safeParse(expression);
  const ids = parsed.success ? idsIn(parsed.data) : null;
  if (ids !== null) return ids;
  const msg =
    'must say which ids: { "$eq": [{ "$getField": "id" }, { "$literal": "…" }] }, $in, or $or of these';
  throw new RequestError("meaning", [{ loc: ["query", "$expr"], msg, type: "unsupported_query" }]);
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
