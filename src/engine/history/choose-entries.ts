import { compileEvaluationList, type ListedEvaluation } from "../../compile/catalog/evaluations.ts";
import { compileValued } from "../../compile/catalog/valued.ts";
import { didYouMean } from "../../model/nearest.ts";
import type { Remembering } from "../../request/history-request.ts";
import { meaningless } from "../../request/meaningless.ts";
import type { Session } from "../../store/session.ts";
import { readQueryCatalog, type CatalogCache } from "../catalog/read-catalog.ts";

/** The evaluations of a history, the latest last. */
interface ChosenEntries {
  readonly name: string;
  readonly evaluations: readonly ListedEvaluation[];
}

/** The last finished evaluations of one name that have a value. Throws `RequestError` where no evaluation has the name. */
export async function chooseEntries(
  session: Session,
  catalogs: CatalogCache,
  projectId: string,
  { name: asked, limit, ranking }: Remembering,
): Promise<ChosenEntries> {
  await session.about(projectId, []);
  const list = await session.all(compileEvaluationList(projectId));
  const name = asked ?? nameOfLatest(list);
  const namesakes = list.filter(({ displayName }) => displayName === name);
  if (namesakes.length === 0) {
    const names = new Set(list.flatMap(({ displayName }) => displayName ?? []));
    throw meaningless(
      ["name"],
      `no evaluation is called ${JSON.stringify(name)}${didYouMean(name, [...names])}`,
    );
  }
  const finished = namesakes.filter(
    ({ endedAt, exception, trials }) => endedAt !== null && exception === null && trials > 0,
  );
  const request = { ...ranking.request, evaluationIds: finished.map(({ id }) => id) };
  const { evaluations } = await readQueryCatalog(session, catalogs, projectId, request);
  const keys = [...evaluations.values()].flatMap(({ key }) => key ?? []);
  const found = keys.length === 0 ? [] : await session.all(compileValued(keys));
  const valued = new Set(found.map(({ key }) => key));
  const kept = finished.filter(({ id }) => valued.has(evaluations.get(id)?.key ?? -1));
  return { name, evaluations: kept.slice(-limit) };
}

/** The evaluation that started last, then of those with the greatest id; those without a start come after all others in the list. */
function nameOfLatest(list: readonly ListedEvaluation[]): string {
  const latest = list.findLast(({ startedAt }) => startedAt !== null) ?? list.at(-1);
  if (latest === undefined) throw meaningless(["name"], "the project has no evaluation");
  if (latest.displayName !== null) return latest.displayName;
  throw meaningless(["name"], "the latest evaluation has no name; name one");
}
