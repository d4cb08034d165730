import { z } from "zod";
import { checkArgument, textList } from "../../model/arguments.ts";
import { checkProject } from "../keys/credentials.ts";
import { packageVersion, parseRequestJson } from "../routes/read-request.ts";
import type { ProtectedRoute, PublicRoute } from "../routes/route.ts";
import { jsonAnswer } from "../wire/answer.ts";
import { graphqlRoute } from "./graphql.ts";
import { readText } from "./weave-route.ts";

const MAX_DEPTH = 64;
/** A larger one would turn the tracing of older SDKs off without a word. */
const OLDEST_PYTHON_SDK = "0.51.0";

const serverInfo: PublicRoute = {
  method: "GET",
  path: "/server_info",
  access: "public",
  id: "weaveServerInfo",
  summary: "What an SDK of W&B Weave asks first",
  run: () =>
    jsonAnswer(
      JSON.stringify({
        min_required_weave_python_version: OLDEST_PYTHON_SDK,
        trace_server_version: packageVersion(),
      }),
    ),
};

const health: PublicRoute = {
  method: "GET",
  path: "/health",
  access: "public",
  id: "weaveHealth",
  summary: "Whether the service is up, for SDKs of W&B Weave",
  run: () => jsonAnswer('{"status":"ok"}'),
};

const projectsRequest = z.looseObject({ project_ids: textList.nullish() }).meta({ id: "WeaveProjects" });

const projects: ProtectedRoute = {
  method: "POST",
  path: "/service/projects_info",
  access: "basic",
  id: "weaveProjects",
  reads: true,
  summary: "Nothing, upon which an SDK leaves digests to the service",
  body: projectsRequest,
  reply: z.array(z.unknown()).meta({ id: "WeaveProjectsReply" }),
  example: { request: { project_ids: ["acme/qa"] }, reply: [] },
  async run({ limits }, request, principal) {
    const text = await readText(request, limits.other);
    const asked = checkArgument(parseRequestJson(text, MAX_DEPTH, limits), projectsRequest);
    for (const projectId of asked.project_ids ?? []) checkProject(principal, projectId);
    return jsonAnswer("[]");
  },
};

export const sessionRoutes = [serverInfo, health, graphqlRoute, projects];
