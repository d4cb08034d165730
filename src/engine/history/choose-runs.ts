import {
  compileEvaluationList,
  compileValued,
  type ListedEvaluation,
} from "../../compile/catalog/evaluations.ts";
import type { Labelled } from "../../model/labels.ts";
import { countOf } from "../../model/messages.ts";
import { formatTimestamp } from "../../model/timestamp.ts";
import { findEvaluation } from "../../request/find-evaluation.ts";
import type { Remembering } from "../../request/history-request.ts";
import { meaningless } from "../../request/meaningless.ts";
import type { Session } from "../../store/session.ts";
import { type CatalogCache, readQueryCatalog } from "../catalog/read-catalog.ts";

/**
 * The finished evaluations of one name that have a value and ran over all rows, or are named, and the last of them,
 * which are shown: of the name of whatever a text stands for. Throws `RequestError` where it stands for none.
 */
export async function chooseRuns(
  session: Session,
  catalogs: CatalogCache,
  projectId: string,
  { name: asked, limit, ranking }: Remembering,
) {
  await session.about(projectId, []);
  const list = await session.all(compileEvaluationList(projectId));
  const found = findEvaluation(asked ?? "latest", list.map(labelledOf));
  if ("fault" in found) throw meaningless(["name"], found.fault);
  const name = list.find(({ id }) => id === found.id)?.displayName ?? null;
  if (name === null) throw meaningless(["name"], `${JSON.stringify(found.id)} has no name; name another`);
  const namesakes = list.filter(({ displayName }) => displayName === name);
  const isNamed = asked !== null && asked !== name && !asked.startsWith("latest");
  const finished = namesakes.filter(
    ({ id, endedAt, exception, trials, partial }) =>
      endedAt !== null && exception === null && trials > 0 && (!partial || (isNamed && id === found.id)),
  );
  const request = { ...ranking.request, evaluationIds: finished.map(({ id }) => id) };
  const { evaluations } = await readQueryCatalog(session, catalogs, projectId, request);
  const keys = [...evaluations.values()].flatMap(({ key }) => key ?? []);
  const tried = keys.length === 0 ? [] : await session.all(compileValued(keys));
  const valued = new Set(tried.map(({ key }) => key));
  const kept = finished.filter(({ id }) => valued.has(evaluations.get(id)?.key ?? -1));
  const shown = kept.slice(-limit);
  const [first] = shown;
  const since = first === undefined ? [] : namesakes.slice(namesakes.indexOf(first));
  const left = since.length - shown.length;
  const why = "not finished, of part of the rows, or without a value";
  const warnings =
    left === 0 ? [] : [`${left} of ${countOf(since.length, "run")} of this name left out: ${why}`];
  return { name, runs: kept, shown, warnings };
}

export function labelledOf({
  id,
  displayName,
  startedAt,
  modelRef,
  commit,
  branch,
}: ListedEvaluation): Labelled {
  const started_at = startedAt === null ? null : formatTimestamp(startedAt);
  return { id, display_name: displayName, started_at, model_ref: modelRef, commit, branch };
}
