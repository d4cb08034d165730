import { createOpenApi } from "../openapi/openapi.ts";
import { jsonAnswer } from "../wire/answer.ts";
import type { PublicRoute, Route } from "./route.ts";

const health: PublicRoute = {
  method: "GET",
  path: "/healthz",
  access: "public",
  id: "health",
  summary: "Whether the service is up",
  run: () => jsonAnswer('{"status":"ok"}'),
};

/** Adds the documents that need no credentials to `routes`; one of them describes all routes. */
export function withPublicRoutes(routes: readonly Route[], basePath: string): readonly Route[] {
  let description: string | undefined;
  const describe: PublicRoute = {
    method: "GET",
    path: "/openapi.json",
    access: "public",
    id: "describe",
    summary: "This description",
    run: () => jsonAnswer((description ??= JSON.stringify(createOpenApi(all, basePath)))),
  };
  const all = [...routes, health, describe];
  return all;
}
