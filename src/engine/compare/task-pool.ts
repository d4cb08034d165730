import { nameList } from "../../model/messages.ts";
import { modelName } from "../../model/references.ts";
import type { Plan } from "../../plan/plan.ts";
import { NOTHING_KNOWN, type KnownEvaluation, type QueryCatalog } from "../../plan/query-catalog.ts";
import type { ScoreSum } from "../../plan/results.ts";
import type { TaskWeights } from "../../request/where.ts";
import { exchanged, poolSums, type PairSums } from "../../respond/compare/pair-sums.ts";
import { compareText } from "../../model/text-order.ts";
import type { ModelTasks } from "./choose-evaluations.ts";
import { allEdited } from "./edited-rows.ts";
import type { FoundPair, PairsByPlace } from "./read-pairs.ts";
import { nameText } from "../../model/name-text.ts";

/** The tasks of models. A model has a key of its own, and stands beside its evaluations in catalog and sums. */
export interface TaskPool {
  readonly weights: TaskWeights;
  /** For each task (null: evaluations that name none), the keys of the evaluations by the key of the model. */
  readonly tasks: ReadonlyMap<string | null, ReadonlyMap<number, number>>;
}

/** Keys of evaluations are 0 or greater, and -1 is that of none. */
const FIRST_KEY = -2;

/**
 * Pools the evaluations of models: those of the catalog are then the models, by name, and their sums stand after those
 * of the evaluations. Without models, evaluations stand for themselves.
 */
export function poolTasks(
  models: readonly ModelTasks[] | null,
  weights: TaskWeights | null,
  catalog: QueryCatalog,
  sums: readonly ScoreSum[],
): { readonly pool: TaskPool | null; readonly catalog: QueryCatalog; readonly sums: readonly ScoreSum[] } {
  if (models === null || weights === null) return { pool: null, catalog, sums };
  const tasks = new Map<string | null, Map<number, number>>();
  const owners = new Map<number, number>();
  const known = models.map(({ model, evaluations }, i): [string, KnownEvaluation] => {
    for (const { id, evaluationRef } of evaluations) {
      const key = catalog.evaluations.get(id)?.key ?? null;
      if (key === null) continue;
      owners.set(key, FIRST_KEY - i);
      tasks.set(
        evaluationRef,
        (tasks.get(evaluationRef) ?? new Map<number, number>()).set(FIRST_KEY - i, key),
      );
    }
    const tried = [...owners.values()].includes(FIRST_KEY - i);
    const { directions } = catalog.evaluations.get(evaluations[0]?.id ?? "") ?? NOTHING_KNOWN;
    return [model, { ...NOTHING_KNOWN, directions, key: tried ? FIRST_KEY - i : null }];
  });
  const trialsPerRow = new Map(catalog.trialsPerRow);
  for (const [key, owner] of owners)
    trialsPerRow.set(owner, Math.max(trialsPerRow.get(owner) ?? 1, trialsPerRow.get(key) ?? 1));
  const ofModels = sums.flatMap((sum) => {
    const owner = owners.get(sum.evaluationKey);
    return owner === undefined ? [] : [{ ...sum, evaluationKey: owner }];
  });
  // Sums of doubles depend on the order of their terms.
  const ordered = [...tasks].toSorted(([a], [b]) => compareText(a ?? "", b ?? ""));
  return {
    pool: { weights, tasks: new Map(ordered) },
    catalog: { ...catalog, evaluations: new Map(known), trialsPerRow },
    sums: [...sums, ...ofModels],
  };
}

/** Reads pairs of models task by task: `read` reads those of a plan of evaluations, the baseline first. */
export async function readTaskPairs(
  { weights, tasks }: TaskPool,
  plan: Plan,
  read: (plan: Plan) => Promise<PairsByPlace>,
): Promise<PairsByPlace> {
  const [baseline = 0, ...candidates] = plan.evaluationKeys;
  const parts: { readonly keys: ReadonlyMap<number, number>; readonly pairs: PairsByPlace }[] = [];
  for (const keys of tasks.values()) {
    const own = keys.get(baseline);
    const shared = candidates.flatMap((model) => keys.get(model) ?? []);
    if (own === undefined || shared.length === 0) continue;
    parts.push({ keys, pairs: await read(within(plan, [own, ...shared])) });
  }
  const each = <T>(model: number, of: (pairs: PairsByPlace, key: number) => T): T[] =>
    parts.flatMap(({ keys, pairs }) => {
      const key = keys.get(model);
      return key === undefined ? [] : [of(pairs, key)];
    });
  const total = (model: number, of: (pairs: PairsByPlace, key: number) => number) =>
    each(model, of).reduce((sum, count) => sum + count, 0);
  return {
    pooled: true,
    sums: (model, path) => {
      const found = each(model, (pairs, key) => pairs.sums(key, path) ?? []).flat();
      return poolSums(found, weights);
    },
    candidateValues: (model, path) => total(model, (pairs, key) => pairs.candidateValues(key, path)),
    baselineValues: (model, path) => total(model, (pairs, key) => pairs.baselineValues(key, path)),
    presence: (model) => ({
      both: total(model, (pairs, key) => pairs.presence(key).both),
      onlyBaseline: total(model, (pairs, key) => pairs.presence(key).onlyBaseline),
      onlyCandidate: total(model, (pairs, key) => pairs.presence(key).onlyCandidate),
      edited: allEdited(each(model, (pairs, key) => pairs.presence(key).edited)),
    }),
  };
}

/** Reads the sums of every two models task by task: `read` reads those of a plan of evaluations. */
export async function readEveryTwo(
  { weights, tasks }: TaskPool,
  plan: Plan,
  read: (plan: Plan) => Promise<readonly FoundPair[]>,
): Promise<FoundPair[]> {
  const found = new Map<string, { readonly pair: FoundPair; readonly sums: PairSums[] }>();
  for (const keys of tasks.values()) {
    const models = new Map(plan.evaluationKeys.map((model) => [keys.get(model), model]));
    const own = [...models.keys()].filter((key) => key !== undefined);
    for (const pair of own.length < 2 ? [] : await read(within(plan, own))) {
      if (pair.sums === null) continue;
      const [a = 0, b = 0] = [models.get(pair.baselineKey), models.get(pair.evaluationKey)];
      const [baselineKey, evaluationKey] = [Math.max(a, b), Math.min(a, b)];
      const at = `${baselineKey}:${evaluationKey}:${pair.pathKey}`;
      const sums = baselineKey === a ? pair.sums : exchanged(pair.sums);
      const known = found.get(at);
      if (known === undefined) found.set(at, { pair: { ...pair, baselineKey, evaluationKey }, sums: [sums] });
      else known.sums.push(sums);
    }
  }
  return [...found.values()].map(({ pair, sums }) => ({ ...pair, sums: poolSums(sums, weights) }));
}

function within(plan: Plan, evaluationKeys: readonly number[]): Plan {
  return { ...plan, evaluationKeys };
}

/** The tasks that only one of two models has, one sentence each way. */
export function lonelyTasks(
  { tasks }: TaskPool,
  baseline: { readonly key: number; readonly name: string },
  candidate: { readonly key: number; readonly name: string },
): string[] {
  const only = (one: number, other: number) =>
    [...tasks].flatMap(([task, keys]) =>
      keys.has(one) && !keys.has(other) ? [taskName(task) ?? "no name"] : [],
    );
  return [
    { lonely: only(baseline.key, candidate.key), who: baseline.name },
    { lonely: only(candidate.key, baseline.key), who: candidate.name },
  ].flatMap(({ lonely, who }) =>
    lonely.length === 0
      ? []
      : [
          `${JSON.stringify(baseline.name)} and ${JSON.stringify(candidate.name)}: only ${JSON.stringify(who)} has ${nameList(lonely, nameText)}, which ${lonely.length === 1 ? "is" : "are"} left out`,
        ],
  );
}

/** The name of the object that is the task, else its whole reference; null where an evaluation names none. */
export function taskName(evaluationRef: string | null): string | null {
  return evaluationRef === null ? null : modelName(evaluationRef);
}
