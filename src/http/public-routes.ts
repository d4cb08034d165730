import type { Hono } from "hono";
import { methodNotAllowed } from "./http-error.ts";
import { createOpenApi } from "./openapi.ts";
import { jsonAnswer, type Service, type ServiceEnv } from "./service.ts";

/** `/healthz` and `/openapi.json`, for anybody. */
export function mountPublic(app: Hono<ServiceEnv>, service: Service, basePath: string): void {
  let description: string | undefined;
  mountDocument(app, "/healthz", () => '{"status":"ok"}');
  mountDocument(
    app,
    "/openapi.json",
    () => (description ??= JSON.stringify(createOpenApi(service.engine.evalResultsRequestSchema, basePath))),
  );
}

function mountDocument(app: Hono<ServiceEnv>, path: string, write: () => string): void {
  app.get(path, (context) => {
    context.env.trace.route = path;
    return jsonAnswer(write());
  });
  app.all(path, () => {
    throw methodNotAllowed("GET");
  });
}
