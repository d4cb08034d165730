import { compileEvaluationList, type ListedEvaluation } from "../../compile/catalog/evaluations.ts";
import { compileRootMembers } from "../../compile/catalog/calls.ts";
import { grouped } from "../../model/grouped.ts";
import { nameList } from "../../model/messages.ts";
import { modelName } from "../../model/references.ts";
import type { Ranking } from "../../request/leaderboard-request.ts";
import type { TaskWeights, RootCondition, WhereValue } from "../../request/where.ts";
import { compareText } from "../../model/text-order.ts";
import type { Session } from "../../store/session.ts";
import { isJsonObject, parseJson, writeJson } from "../../model/json.ts";
import { nameText } from "../../model/name-text.ts";

/** An evaluation of the leaderboard. */
export interface ChosenEvaluation extends ListedEvaluation {
  /** Evaluations that it was chosen from. */
  readonly among: number;
}

/** The evaluations of one model that are taken for it, the latest first: one, or the latest of each task. */
export interface ModelTasks {
  readonly model: string;
  readonly evaluations: readonly ListedEvaluation[];
}

interface Choice {
  readonly evaluations: readonly ChosenEvaluation[];
  /** null where evaluations stand for themselves. */
  readonly models: readonly ModelTasks[] | null;
  readonly warnings: readonly string[];
}

type Choosing = Pick<Ranking, "evaluations" | "by" | "where" | "weights">;

/** Chooses the evaluations of a leaderboard, by start or as named. */
export async function chooseEvaluations(
  session: Session,
  projectId: string,
  ranking: Choosing,
): Promise<Choice> {
  await session.about(projectId, []);
  const stored = await session.all(compileEvaluationList(projectId));
  const named = requested(stored, ranking.evaluations);
  const { kept, warnings } = await keepWhere(session, projectId, ranking, named);
  if (stored.length === 0)
    return { evaluations: [], models: null, warnings: ["the project has no evaluation"] };
  if (ranking.by === "evaluation")
    return { evaluations: kept.map((one) => ({ ...one, among: 1 })), models: null, warnings };
  return byModel(kept, ranking.weights, warnings);
}

/** All, or those with these ids, in the order of the ids. */
function requested(
  stored: readonly ListedEvaluation[],
  ids: readonly string[] | null,
): readonly ListedEvaluation[] {
  if (ids === null) return stored;
  const known = new Map(stored.map((one) => [one.id, one]));
  return ids.flatMap((id) => known.get(id) ?? []);
}

async function keepWhere(
  session: Session,
  projectId: string,
  { where }: Choosing,
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

function byModel(
  evaluations: readonly ListedEvaluation[],
  weights: TaskWeights | null,
  before: readonly string[],
): Choice {
  const known = evaluations.filter(({ modelRef }) => modelRef !== null).toSorted(latestFirst);
  const models = grouped(known, ({ modelRef }) => modelName(modelRef ?? ""));
  const all = [...models].map(([model, list]) => ({ model, list, tasks: latestOfTasks(list) }));
  const nameless = evaluations.filter(({ modelRef }) => modelRef === null).length;
  const several = weights === null ? all.filter(({ tasks }) => tasks.length > 1) : [];
  const taken = all.map(({ tasks, ...one }) => ({
    ...one,
    evaluations: weights === null ? tasks.slice(0, 1) : tasks,
  }));
  return {
    evaluations: taken.flatMap(({ list, evaluations: own }) =>
      own.map((one) => ({ ...one, among: list.length })),
    ),
    models: taken,
    warnings: [
      ...before,
      ...(nameless === 0
        ? []
        : [`${nameless} of ${evaluations.length} evaluations name no model and are left out`]),
      ...(several.length === 0
        ? []
        : [
            `the latest evaluation stands for a model that has evaluations of several tasks: ${nameList(
              several.map(({ model, tasks }) => `${nameText(model)} (${tasks.length} tasks)`),
              String,
            )}; where keeps those of one task, weights pools the tasks`,
          ]),
    ],
  };
}

/** The latest evaluation of each task, those without trials only where none has any. */
function latestOfTasks(latest: readonly ListedEvaluation[]): readonly ListedEvaluation[] {
  const tried = latest.filter(({ trials }) => trials > 0);
  const tasks = new Map<string | null, ListedEvaluation>();
  for (const one of tried) if (!tasks.has(one.evaluationRef)) tasks.set(one.evaluationRef, one);
  return tried.length === 0 ? latest.slice(0, 1) : [...tasks.values()];
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

const NUMBER_TEXT = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/** Whether a member of a root call, as JSON text, has one of the wanted values; null stands for a missing member. */
function matchesMember({ isModel, values }: RootCondition, member: string | null): boolean {
  const stored: unknown = member === null ? null : parseJson(member);
  const value = isModel && typeof stored === "string" ? modelName(stored) : stored;
  return values.some((wanted) => isEqual(value, wanted));
}

/** Compares as a filter does: in the type of the wanted value. */
function isEqual(value: unknown, wanted: WhereValue): boolean {
  if (wanted === null || value === null || value === undefined) return (value ?? null) === wanted;
  if (typeof wanted === "number") return numberOf(value) === wanted;
  if (typeof wanted === "string") return textOf(value) === wanted;
  return numberOf(value) === Number(wanted) || value === String(wanted);
}

function numberOf(value: unknown): number | null {
  if (typeof value === "string") return NUMBER_TEXT.test(value) ? Number(value) : null;
  return typeof value === "number" || typeof value === "bigint" || typeof value === "boolean"
    ? Number(value)
    : null;
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return isJsonObject(value) || Array.isArray(value) ? writeJson(value) : String(value);
}
