import { z } from "zod";
import { stopWith } from "../../../flow/stop-with.ts";
import { writeJson } from "../../../model/json.ts";
import { mayUse } from "../../keys/key-ring.ts";
import { jsonAnswer } from "../../wire/answer.ts";
import { projectOfPath } from "../read-request.ts";
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
  status: z.enum(["finished", "failed", "cancelled", "running"]),
  last_trial_at: time,
  trial_count: z.int(),
  row_count: z.int(),
  rows_digest: z.string().nullable().describe("The same for the same rows."),
  error_count: z.int(),
  top_error: z.string().nullable(),
} satisfies Record<keyof Awaited<ReturnType<ServiceEngine["listEvaluations"]>>[number], z.ZodType>);

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
  last_trial_at: "2026-01-31T12:00:09.000000Z",
  trial_count: 4,
  row_count: 4,
  rows_digest: "9f3ac1d2b3e4",
  error_count: 1,
  top_error: "Error: 429 after # ms",
};

export const listEvaluationsRoute: ProtectedRoute = {
  method: "GET",
  path: "/v2/{entity}/{project}/evaluations",
  access: "basic",
  id: "listEvaluations",
  reads: true,
  summary: "The evaluations of a project by start",
  reply: z.object({ evaluations: z.array(evaluationSchema) }).meta({ id: "Evaluations" }),
  example: { reply: { evaluations: [evaluation] } },
  async run({ engine }, asked, principal) {
    const projectId = projectOfPath(asked, principal);
    const { signal } = stopWith(asked.raw.signal);
    const evaluations = await engine.listEvaluations(projectId, { signal });
    return jsonAnswer(writeJson({ evaluations }));
  },
};
