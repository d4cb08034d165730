import { evalResultsRoutes } from "./eval-results.ts";
import { feedbackRoutes } from "./feedback.ts";
import { inferenceRoutes } from "./inference.ts";
import { withPublicRoutes } from "./public.ts";
import type { Route } from "./route.ts";
import { trainingJobRoutes } from "./training-jobs.ts";
import { trainingModelRoutes } from "./training-models.ts";

/** Lists every route of a service at `basePath`, in the order of its description. */
export function allRoutes(basePath: string): readonly Route[] {
  return withPublicRoutes(
    [
      ...feedbackRoutes,
      ...evalResultsRoutes,
      ...inferenceRoutes,
      ...trainingJobRoutes,
      ...trainingModelRoutes,
    ],
    basePath,
  );
}
