import type { Route } from "../routes/route.ts";
import { costRoutes } from "./cost-routes.ts";
import { evaluationRoutes } from "./evaluation-routes.ts";
import { feedbackRoutes } from "./feedback-routes.ts";
import { fileRoutes } from "./file-routes.ts";
import { objectRoutes } from "./object-routes.ts";
import { readCallRoutes, writeCallRoutes } from "./call-routes.ts";
import { sessionRoutes } from "./session-routes.ts";
import { spanRoutes } from "./span-routes.ts";
import { tableRoutes } from "./table-routes.ts";

export const weaveRoutes: readonly Route[] = [
  ...sessionRoutes,
  ...writeCallRoutes,
  ...readCallRoutes,
  ...evaluationRoutes,
  ...objectRoutes,
  ...tableRoutes,
  ...fileRoutes,
  ...costRoutes,
  ...feedbackRoutes,
  ...spanRoutes,
];

/** An SDK appends this where it is told one address for everything. */
export const BELOW_TRACES = "/traces";
