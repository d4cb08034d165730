import { checkQuery } from "../../flow/check-options.ts";
import { evaluationLabels } from "../../model/labels.ts";
import { refuseUnknown } from "../../request/resolve-names.ts";
import { parseStepsRequest, stepsWithIds, type AskedSteps } from "../../request/steps-request.ts";
import type { StepsAnswer } from "../../respond/steps/answer.ts";
import type { Session } from "../../store/session.ts";
import type { QueryContext } from "../base/context.ts";
import { labelled, labelledAnswer, nameEvaluations } from "../catalog/named-request.ts";
import { compileProject } from "../../compile/catalog/project.ts";
import type { QueryOptions } from "../query/query.ts";
import { diffTrials, readDiff } from "./diff.ts";
import { evaluationsOf, openScope, unknownTrial } from "./scope.ts";
import { readTools } from "./tools.ts";
import { readOneTrial } from "./trial.ts";

/**
 * Tells what agents did inside trials. Throws `RequestError` on an unknown evaluation, score or field, and
 * `EvalcubeError` `not_found` on an unknown trial.
 */
export async function readSteps(
  context: QueryContext,
  projectId: string,
  input: unknown,
  query: QueryOptions,
): Promise<StepsAnswer> {
  checkQuery(projectId, query);
  const asked = parseStepsRequest(input);
  const { signal } = query;
  return context.store.read(async (session) => {
    const { catalogs } = context;
    const named = await nameEvaluations(
      session,
      catalogs,
      projectId,
      { input, asked },
      stepsWithIds,
      refuseUnknown,
    );
    const labels = evaluationLabels(named.list);
    return labelled(named, async () =>
      labelledAnswer(
        named,
        named.request.trials.length > 0
          ? await ofTrials(session, context, projectId, named.request, signal)
          : await ofEvaluations(session, context, projectId, named.request, labels, signal),
      ),
    );
  }, signal);
}

async function ofEvaluations(
  session: Session,
  context: QueryContext,
  projectId: string,
  asked: AskedSteps,
  labels: ReadonlyMap<string, string>,
  signal: AbortSignal | undefined,
): Promise<StepsAnswer> {
  const { request, against } = asked;
  const ids = [...new Set([...request.evaluationIds, ...(against === null ? [] : [against])])];
  const scope = await openScope(session, context, projectId, { ...request, evaluationIds: ids }, signal);
  return asked.view === "tools" ? readTools(scope, asked, labels) : readDiff(scope, asked);
}

async function ofTrials(
  session: Session,
  context: QueryContext,
  projectId: string,
  asked: AskedSteps,
  signal: AbortSignal | undefined,
): Promise<StepsAnswer> {
  const { trials, request } = asked;
  await session.about(projectId, []);
  const [project] = await session.all(compileProject(projectId));
  if (project === undefined) throw unknownTrial(trials[0] ?? "");
  const parents = await evaluationsOf(session, projectId, project.key, trials);
  for (const [i, parent] of parents.entries())
    if (request.evaluationIds.length > 0 && !request.evaluationIds.includes(parent))
      throw unknownTrial(trials[i] ?? "");
  const whole = { ...request, evaluationIds: [...new Set(parents)] };
  const scope = await openScope(session, context, projectId, whole, signal);
  return asked.view === "trial" ? readOneTrial(scope, asked) : diffTrials(scope, asked);
}
