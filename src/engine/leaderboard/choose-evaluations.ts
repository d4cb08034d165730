import { compileEvaluationList, type ListedEvaluation } from "../../compile/catalog/evaluations.ts";
import { compileRootMembers } from "../../compile/leaderboard/root-members.ts";
import { modelName } from "../../model/references.ts";
import type { Ranking } from "../../request/leaderboard-request.ts";
import { meaningless } from "../../request/meaningless.ts";
import { compareText } from "../../respond/summary/summary.ts";
import type { Session } from "../../store/session.ts";
import { matchesMember } from "./member-value.ts";

/** An evaluation of the leaderboard. */
export interface ChosenEvaluation extends ListedEvaluation {
  /** Evaluations that it was chosen from. */
  readonly among: number;
}

interface Choice {
  readonly evaluations: readonly ChosenEvaluation[];
  readonly warnings: readonly string[];
}

/** Chooses the evaluations of a leaderboard, by start or as named. Throws `RequestError` on an id that the project does not have. */
export async function chooseEvaluations(
  session: Session,
  projectId: string,
  ranking: Ranking,
): Promise<Choice> {
  await session.about(projectId, []);
  const stored = await session.all(compileEvaluationList(projectId));
  const named = requested(stored, ranking.evaluations);
  const { kept, warnings } = await keepWhere(session, projectId, ranking, named);
  if (stored.length === 0) return { evaluations: [], warnings: ["the project has no evaluation"] };
  if (ranking.by === "evaluation")
    return { evaluations: kept.map((one) => ({ ...one, among: 1 })), warnings };
  const { latest, lost } = latestOfModels(kept);
  return { evaluations: latest, warnings: [...warnings, ...lost] };
}

/** All, or those with these ids, in the order of the ids. */
function requested(
  stored: readonly ListedEvaluation[],
  ids: readonly string[] | null,
): readonly ListedEvaluation[] {
  if (ids === null) return stored;
  const known = new Map(stored.map((one) => [one.id, one]));
  return ids.map((id, i) => {
    const one = known.get(id);
    if (one === undefined)
      throw meaningless(["evaluations", i], `evaluation ${JSON.stringify(id)} is not in this project`);
    return one;
  });
}

async function keepWhere(
  session: Session,
  projectId: string,
  { where }: Ranking,
  evaluations: readonly ListedEvaluation[],
): Promise<{ readonly kept: readonly ListedEvaluation[]; readonly warnings: readonly string[] }> {
  if (where.length === 0 || evaluations.length === 0) return { kept: evaluations, warnings: [] };
  const pointers = where.map(({ pointer }) => pointer);
  const found = await session.all(compileRootMembers(projectId, pointers));
  const roots = new Map(found.map(({ id, members }) => [id, members]));
  const memberOf = (id: string, i: number) => roots.get(id)?.[i] ?? null;
  const kept = evaluations.filter(({ id }) =>
    where.every((condition, i) => matchesMember(condition, memberOf(id, i))),
  );
  const unknown = where.filter((_, i) => evaluations.every(({ id }) => memberOf(id, i) === null));
  return {
    kept,
    warnings: [
      ...unknown.map(({ field }) => `no evaluation has ${JSON.stringify(field)}`),
      ...(kept.length === 0 ? [`where keeps none of ${evaluations.length} evaluations`] : []),
    ],
  };
}

function latestOfModels(evaluations: readonly ListedEvaluation[]): {
  readonly latest: readonly ChosenEvaluation[];
  readonly lost: readonly string[];
} {
  const models = new Map<string, ListedEvaluation[]>();
  for (const one of evaluations) {
    if (one.modelRef === null) continue;
    const name = modelName(one.modelRef);
    models.set(name, [...(models.get(name) ?? []), one]);
  }
  const latest = [...models.values()].flatMap((list): ChosenEvaluation[] => {
    const [last] = list.toSorted(latestFirst);
    return last === undefined ? [] : [{ ...last, among: list.length }];
  });
  const nameless = evaluations.filter(({ modelRef }) => modelRef === null).length;
  return {
    latest,
    lost:
      nameless === 0
        ? []
        : [`${nameless} of ${evaluations.length} evaluations name no model and are left out`],
  };
}

/** Evaluations with trials come first, then those with a start, then the latest, then the greatest id. */
function latestFirst(a: ListedEvaluation, b: ListedEvaluation): number {
  return (
    Number(b.trials > 0) - Number(a.trials > 0) ||
    Number(b.startedAt !== null) - Number(a.startedAt !== null) ||
    Number((b.startedAt ?? 0n) - (a.startedAt ?? 0n)) ||
    compareText(b.id, a.id)
  );
}
