import { compileEvaluations, compileValued } from "../../compile/catalog/evaluations.ts";
import { compileProject } from "../../compile/catalog/project.ts";
import { RequestError } from "../../errors.ts";
import { evaluationLabels, labelTexts } from "../../model/labels.ts";
import type { Session } from "../../store/session.ts";
import type { Side } from "../../request/compared-sides.ts";
import type { ParsedComparison } from "../../request/parse-compare-request.ts";
import type { NamedEvaluation, NamedRequest } from "../catalog/named-request.ts";
import { nameText } from "../../model/name-text.ts";

/** The request with the run before of each candidate. Throws `RequestError` where there is none. */
export async function pairWithPrevious(
  session: Session,
  projectId: string,
  named: NamedRequest<ParsedComparison>,
): Promise<NamedRequest<ParsedComparison>> {
  const { request, list } = named;
  const sides: Side[] = [];
  for (const { baseline, candidate } of request.sides) {
    const before = await previousOf(session, projectId, list, candidate.text);
    if (before === null) throw noEarlierRun(list, candidate.text);
    sides.push({ baseline: { ...baseline, text: before }, candidate });
  }
  const shown = new Set(sides.flatMap((side) => [side.baseline.text, side.candidate.text]));
  const label = labelTexts(evaluationLabels(list.filter(({ id }) => shown.has(id))));
  const grouping = { ...request.grouping, inPairs: true };
  return { ...named, request: { ...request, sides, grouping }, label };
}

/**
 * The latest evaluation of the same name that started before this one, finished, ran over all rows, and has a number,
 * true or false in some score.
 */
export async function previousOf(
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
