import { jsonAnswer } from "../wire/answer.ts";
import { createOpenApi } from "../openapi/openapi.ts";
import type { Route } from "./route.ts";

/** `/healthz` and `/openapi.json`, for anybody. */
export function publicRoutes(basePath: string): Route[] {
  let description: string | undefined;
  const describe = () => (description ??= JSON.stringify(createOpenApi(basePath)));
  return [document("/healthz", () => '{"status":"ok"}'), document("/openapi.json", describe)];
}

function document(path: string, write: () => string): Route {
  return { path, method: "GET", access: "public", endpoint: () => jsonAnswer(write()) };
}
