import { feedbackRoutes } from "./routes/feedback.ts";
import { inferenceRoutes } from "./routes/inference.ts";
import { withPublicRoutes } from "./routes/public.ts";
import { mcpRoute } from "./routes/mcp.ts";
import type { Route } from "./routes/route.ts";
import { compareResults } from "./routes/results/compare.ts";
import { listEvaluationsRoute, listProjectsRoute } from "./routes/results/lists.ts";
import { queryResults } from "./routes/results/query.ts";
import { statisticRoutes } from "./routes/results/statistics.ts";
import { reportResults } from "./routes/results/report.ts";
import { viewResults } from "./routes/results/view.ts";
import { trainingJobRoutes } from "./routes/training-jobs.ts";
import { trainingModelRoutes } from "./routes/training-models.ts";
import { withVersions } from "./weave/evaluation-routes.ts";
import { weaveRoutes } from "./weave/weave-routes.ts";

/** Lists every route of a service at `basePath`, in the order of its description. */
export function allRoutes(basePath: string): readonly Route[] {
  return withPublicRoutes(
    [
      ...feedbackRoutes,
      listProjectsRoute,
      withVersions(listEvaluationsRoute),
      queryResults,
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
