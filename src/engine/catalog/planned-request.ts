import type { InputPath } from "../../errors.ts";
import type { Plan } from "../../plan/plan.ts";
import { buildPlan, requestWarnings } from "../../plan/build-plan.ts";
import type { QueryCatalog } from "../../plan/query-catalog.ts";
import { type EvalRequest, withIds } from "../../request/eval-request.ts";
import type { EvaluationName } from "../../request/evaluation-name.ts";
import { meaningless } from "../../request/meaningless.ts";
import type { Session } from "../../store/session.ts";
import { nameEvaluations, type AskedOf } from "./named-request.ts";
import { type CatalogCache, readQueryCatalog } from "./read-catalog.ts";

/** A request with ids, its plan, and what there is to say of it. */
interface PlannedRequest {
  readonly request: EvalRequest;
  readonly catalog: QueryCatalog;
  readonly plan: Plan;
  readonly warnings: readonly string[];
}

/** Plans a request whose evaluations stand at `place`. Throws `RequestError` where none has a trial. */
export async function planRequest(
  session: Session,
  catalogs: CatalogCache,
  projectId: string,
  given: AskedOf<EvalRequest<EvaluationName>>,
  place: InputPath = ["evaluations"],
): Promise<PlannedRequest> {
  const { request, notes, label } = await nameEvaluations(session, catalogs, projectId, given, withIds);
  const catalog = await readQueryCatalog(session, catalogs, projectId, request);
  const plan = buildPlan(projectId, request, catalog);
  if (plan === null) throw meaningless(place, "no trial of these evaluations is stored");
  return { request, catalog, plan, warnings: [...notes, ...label(requestWarnings(request, catalog))] };
}
