import { z } from "zod";
import { stopWith } from "../../../flow/stop-with.ts";
import { writeJson } from "../../../model/json.ts";
import { parseUtcTimestamp } from "../../../model/timestamp.ts";
import { mayUse } from "../../keys/key-ring.ts";
import { jsonAnswer } from "../../wire/answer.ts";
import { projectOfPath, queryOf } from "../read-request.ts";
import type { ProtectedRoute } from "../route.ts";
import type { ServiceEngine } from "../service.ts";

const projectSchema = z.object({
  project_id: z.string(),
  evaluation_count: z.int().describe("Evaluations that the list of the project has."),
});

export const listProjectsRoute: ProtectedRoute = {
  method: "GET",
  path: "/v2/projects",
  access: "basic",
  id: "listProjects",
  reads: true,
  summary: "The projects that the key may use, by name",
  reply: z.object({ projects: z.array(projectSchema) }).meta({ id: "Projects" }),
  example: { reply: { projects: [{ project_id: "acme/qa", evaluation_count: 2 }] } },
  async run({ engine }, { raw }, principal) {
    const { signal } = stopWith(raw.signal);
    const all = await engine.countEvaluations({ signal });
    const projects = all.filter(({ project_id }) => mayUse(principal, project_id));
    return jsonAnswer(JSON.stringify({ projects }));
  },
};

type EvaluationEntry = Awaited<ReturnType<ServiceEngine["listEvaluations"]>>[number];
const STATUSES = ["finished", "failed", "cancelled", "running"] as const;

const time = z.string().meta({ format: "date-time" }).nullable();

export const evaluationSchema = z.object({
  id: z.string(),
  display_name: z.string().nullable(),
  evaluation_ref: z.string().nullable(),
  model_ref: z.string().nullable(),
  dataset_ref: z.string().nullable(),
  commit: z.string().nullable(),
  branch: z.string().nullable(),
  file: z.string().nullable(),
  attributes: z.unknown().describe("Attributes of the root call, as they were logged."),
  started_at: time,
  ended_at: time,
  exception: z.string().nullable(),
  status: z.enum(STATUSES),
  user: z.string().nullable().describe("Whose key stored it; null where nobody is known."),
  last_trial_at: time,
  trial_count: z.int(),
  row_count: z.int(),
  rows_digest: z.string().nullable().describe("The same for the same rows."),
  error_count: z.int(),
  top_error: z.string().nullable(),
} satisfies Record<keyof EvaluationEntry, z.ZodType>);

const evaluation = {
  id: "run-1",
  display_name: "small model",
  evaluation_ref: "svc:///acme/qa/object/capitals:v1",
  model_ref: "svc:///acme/qa/object/small:v1",
  dataset_ref: "svc:///acme/qa/object/set:v1",
  commit: "4e5f607a9c1d2b3e4f5a6b7c8d9e0f1a2b3c4d5e",
  branch: "main",
  file: null,
  attributes: { commit: "4e5f607a9c1d2b3e4f5a6b7c8d9e0f1a2b3c4d5e", branch: "main" },
  started_at: "2026-01-31T12:00:00.000000Z",
  ended_at: "2026-01-31T12:00:10.000000Z",
  exception: null,
  status: "finished",
  user: "ann",
  last_trial_at: "2026-01-31T12:00:09.000000Z",
  trial_count: 4,
  row_count: 4,
  rows_digest: "9f3ac1d2b3e4",
  error_count: 1,
  top_error: "Error: 429 after # ms",
};

/** Without a limit, a list has the newest ones only. */
const USUAL_LIMIT = 1000;

const whole = z
  .string()
  .regex(/^\d{1,9}$/, "must be a whole number of up to nine digits")
  .transform(Number);

const isoTime = z
  .string()
  .refine((text) => parseUtcTimestamp(text) !== null, "must be a time of ISO 8601")
  .transform((text) => parseUtcTimestamp(text));

const listQuery = z.strictObject({
  limit: whole.optional(),
  offset: whole.optional(),
  name: z.string().optional(),
  user: z.string().optional(),
  status: z.enum(STATUSES).optional(),
  since: isoTime.optional(),
  until: isoTime.optional(),
});

const text = { type: "string" };
const moment = { type: "string", format: "date-time" };
const listParameters = Object.entries({
  limit: { type: "integer", minimum: 0, default: USUAL_LIMIT },
  offset: { type: "integer", minimum: 0, default: 0, description: "How many of the newest are left out" },
  name: text,
  user: text,
  status: { type: "string", enum: STATUSES },
  since: { ...moment, description: "Of the start, itself included" },
  until: { ...moment, description: "Of the start, itself included" },
}).map(([name, schema]) => ({ name, in: "query", schema }));

/** The evaluations that the parameters keep, in their order, and those that the answer has. */
function choose(list: readonly EvaluationEntry[], query: z.output<typeof listQuery>) {
  const { limit = USUAL_LIMIT, offset = 0, name, user, status, since = null, until = null } = query;
  const isWithin = (at: string | null) => {
    if (since === null && until === null) return true;
    const start = at === null ? null : parseUtcTimestamp(at);
    return start !== null && (since === null || start >= since) && (until === null || start <= until);
  };
  const kept = list.filter(
    (one) =>
      (name === undefined || one.display_name === name) &&
      (user === undefined || one.user === user) &&
      (status === undefined || one.status === status) &&
      isWithin(one.started_at),
  );
  const end = Math.max(0, kept.length - offset);
  return { evaluations: kept.slice(Math.max(0, end - limit), end), total_count: kept.length };
}

export const listEvaluationsRoute: ProtectedRoute = {
  method: "GET",
  path: "/v2/{entity}/{project}/evaluations",
  access: "basic",
  id: "listEvaluations",
  reads: true,
  summary: "The evaluations of a project by start, the newest 1,000 without a limit",
  parameters: listParameters,
  reply: z
    .object({ evaluations: z.array(evaluationSchema), total_count: z.int() })
    .meta({ id: "Evaluations" }),
  example: { reply: { evaluations: [evaluation], total_count: 1 } },
  async run({ engine }, asked, principal) {
    const projectId = projectOfPath(asked, principal);
    const query = queryOf(asked, listQuery);
    const { signal } = stopWith(asked.raw.signal);
    return jsonAnswer(writeJson(choose(await engine.listEvaluations(projectId, { signal }), query)));
  },
};
