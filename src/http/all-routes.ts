import { isEnough } from "../model/rights.ts";
import { databaseRoutes } from "./routes/database.ts";
import { feedbackRoutes } from "./routes/feedback.ts";
import { inferenceRoutes } from "./routes/inference.ts";
import { mcpRoute } from "./routes/mcp.ts";
import type { Route, PublicRoute } from "./routes/route.ts";
import { storedResults } from "./routes/results/stored.ts";
import { columnsResults } from "./routes/results/columns.ts";
import { compareResults } from "./routes/results/compare.ts";
import { explainResults } from "./routes/results/explain.ts";
import { exportResults, sqlResults } from "./routes/results/export.ts";
import { listEvaluationsRoute, listProjectsRoute } from "./routes/results/lists.ts";
import { queryResults } from "./routes/results/query.ts";
import { statisticRoutes } from "./routes/results/statistics.ts";
import { reportResults } from "./routes/results/report.ts";
import { viewResults } from "./routes/results/view.ts";
import { trainingJobRoutes } from "./routes/training-jobs.ts";
import { trainingModelRoutes } from "./routes/training-models.ts";
import { withVersions } from "./weave/evaluation-routes.ts";
import { weaveRoutes } from "./weave/weave-routes.ts";
import { createOpenApi } from "./openapi/openapi.ts";
import { jsonAnswer } from "./wire/answer.ts";

/** Lists every route of a service at `basePath`, in the order of its description. */
export function allRoutes(basePath: string): readonly Route[] {
  return withPublicRoutes(
    [
      ...feedbackRoutes,
      ...databaseRoutes,
      listProjectsRoute,
      withVersions(listEvaluationsRoute),
      queryResults,
      explainResults,
      columnsResults,
      storedResults,
      sqlResults,
      exportResults,
      compareResults,
      ...statisticRoutes,
      reportResults,
      viewResults,
      mcpRoute,
      ...inferenceRoutes,
      ...trainingJobRoutes,
      ...trainingModelRoutes,
      ...weaveRoutes,
    ],
    basePath,
  );
}

const health: PublicRoute = {
  method: "GET",
  path: "/healthz",
  access: "public",
  id: "health",
  summary: "Whether the service is up; `?verbose` also tells an admin of its backups",
  run: async ({ raw, trace }, { authenticate, backup }) => {
    const status = "ok";
    if (!new URL(raw.url).searchParams.has("verbose")) return jsonAnswer(JSON.stringify({ status }));
    const principal = await authenticate(raw, "any").catch(() => null);
    if (principal === null || !isEnough(principal.can, "admin"))
      return jsonAnswer(JSON.stringify({ status }));
    trace.principal = principal;
    return jsonAnswer(JSON.stringify({ status, backup: backup() }), { "cache-control": "no-store" });
  },
};

/** Adds the documents that need no credentials to `routes`; one of them describes all routes. */
function withPublicRoutes(routes: readonly Route[], basePath: string): readonly Route[] {
  let description: Promise<string> | undefined;
  const describe: PublicRoute = {
    method: "GET",
    path: "/openapi.json",
    access: "public",
    id: "describe",
    summary: "This description",
    run: async () =>
      jsonAnswer(await (description ??= createOpenApi(all, basePath).then((it) => JSON.stringify(it)))),
  };
  const all = [...routes, health, describe];
  return all;
}
