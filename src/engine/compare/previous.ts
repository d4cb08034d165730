import { isByModel } from "../../model/field-path.ts";
import { compileEvaluations, compileValued } from "../../compile/catalog/evaluations.ts";
import { compileProject } from "../../compile/catalog/project.ts";
import { RequestError } from "../../errors.ts";
import { isJsonObject } from "../../model/json.ts";
import { evaluationLabels, labelTexts } from "../../model/labels.ts";
import type { Session, Store } from "../../store/session.ts";
import { PREVIOUS } from "../../request/find-evaluation.ts";
import type { NamedEvaluation, NamedRequest } from "../catalog/named-request.ts";
import { nameText } from "../../model/name-text.ts";

/** A request whose baseline is the run before, as pairs; any other as it is. */
export async function pairWithPrevious(
  store: Store,
  projectId: string,
  named: NamedRequest,
  signal: AbortSignal | undefined,
): Promise<NamedRequest & { readonly previous: boolean }> {
  const { request, list } = named;
  const asItIs = { ...named, previous: false };
  if (!isJsonObject(request) || isByModel(request["by"])) return asItIs;
  const { baseline, candidates, ...others } = request;
  if (baseline !== PREVIOUS || !Array.isArray(candidates)) return asItIs;
  const ids = candidates.filter((id) => typeof id === "string");
  if (ids.length < candidates.length) return asItIs;
  const pairs = await store.read(async (session) => {
    const found: { readonly baseline: string; readonly candidate: string }[] = [];
    for (const candidate of ids) {
      const before = await previousOf(session, projectId, list, candidate);
      if (before === null) throw noEarlierRun(list, candidate);
      found.push({ baseline: before, candidate });
    }
    return found;
  }, signal);
  const shown = new Set(pairs.flatMap((pair) => [pair.baseline, pair.candidate]));
  const label = labelTexts(evaluationLabels(list.filter(({ id }) => shown.has(id))));
  return { ...named, request: { ...others, pairs }, label, previous: true };
}

/**
 * The latest evaluation of the same name that started before this one, finished, ran over all rows, and has a number,
 * true or false in some score.
 */
async function previousOf(
  session: Session,
  projectId: string,
  list: readonly NamedEvaluation[],
  id: string,
): Promise<string | null> {
  const own = list.findIndex((one) => one.id === id);
  const { display_name: name = null, started_at: start = null } = list[own] ?? {};
  const earlier = list
    .slice(0, Math.max(own, 0))
    .filter((one) => name !== null && start !== null && one.display_name === name)
    .filter((one) => one.finished && !one.partial);
  const scored = await scoredAmong(session, projectId, earlier);
  return earlier.findLast((one) => scored.has(one.id))?.id ?? null;
}

function noEarlierRun(list: readonly NamedEvaluation[], id: string): RequestError {
  const name = list.find((one) => one.id === id)?.display_name ?? id;
  return new RequestError("meaning", [
    {
      loc: ["baseline"],
      msg: `${nameText(name)} has no earlier run; name one: baseline`,
      type: "no_earlier_run",
    },
  ]);
}

async function scoredAmong(
  session: Session,
  projectId: string,
  evaluations: readonly NamedEvaluation[],
): Promise<ReadonlySet<string>> {
  const ids = evaluations.map(({ id }) => id);
  if (ids.length === 0) return new Set();
  await session.about(projectId, ids);
  const [project] = await session.all(compileProject(projectId));
  if (project === undefined) return new Set();
  const found = await session.all(compileEvaluations(project.key, ids));
  const keys = await session.all(compileValued(found.map(({ key }) => key)));
  const scored = new Set(keys.map(({ key }) => key));
  return new Set(found.flatMap(({ key, id }) => (scored.has(key) ? [id] : [])));
}
