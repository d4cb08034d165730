import { feedbackRoutes } from "./routes/feedback.ts";
import { inferenceRoutes } from "./routes/inference.ts";
import { withPublicRoutes } from "./routes/public.ts";
import type { Route } from "./routes/route.ts";
import { queryResults } from "./routes/results/query.ts";
import { trainingJobRoutes } from "./routes/training-jobs.ts";
import { trainingModelRoutes } from "./routes/training-models.ts";

/** Lists every route of a service at `basePath`, in the order of its description. */
export function allRoutes(basePath: string): readonly Route[] {
  return withPublicRoutes(
    [...feedbackRoutes, queryResults, ...inferenceRoutes, ...trainingJobRoutes, ...trainingModelRoutes],
    basePath,
  );
}
