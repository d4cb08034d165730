import { withLongTexts } from "../catalog/long-texts.ts";
import type { ListedEvaluation } from "../../compile/catalog/evaluations.ts";
import { buildPlan } from "../../plan/build-plan.ts";
import type { Changes } from "../../respond/compare/changes.ts";
import type { Comparison } from "../../respond/compare/comparison.ts";
import { dimensionName, kindsAt } from "../../respond/compare/dimensions.ts";
import { type WorseSince, worseSince } from "../../respond/history/history.ts";
import type { RankedDimension } from "../../respond/leaderboard/dimensions.ts";
import { chainNoise } from "../../stats/tests/loss-span.ts";
import { readQueryCatalog } from "../catalog/read-catalog.ts";
import { readKinds } from "../compare/read-group.ts";
import { compareRuns, type RunScope } from "./compare-runs.ts";
import { valueReader } from "./read-values.ts";
import { type ComparedRun, type CompareRuns, LONGEST_CHAIN, type Step, walk } from "./walk.ts";

/** What is said of runs beside their figures, by id. */
export interface ComparedRuns {
  /** Ids of all runs with a value in the headline score. */
  readonly valued: readonly string[];
  readonly steps: ReadonlyMap<string, Step>;
  readonly previous: ReadonlyMap<string, Comparison>;
  /** Against the run before. */
  readonly changes: ReadonlyMap<string, Changes>;
  readonly worse: ReadonlyMap<string, WorseSince>;
}

/** Compares the runs that are shown, and says at which of them a loss lasts. */
export async function compareShown(
  scope: Omit<RunScope, "headline">,
  runs: readonly ListedEvaluation[],
  shown: readonly ListedEvaluation[],
  headline: RankedDimension | undefined,
): Promise<ComparedRuns> {
  const steps = new Map<string, Step>();
  const previous = new Map<string, Comparison>();
  const changes = new Map<string, Changes>();
  const read = headline === undefined ? null : await readHeadline(scope, runs, headline);
  if (headline === undefined || read === null)
    return { valued: [], steps, previous, changes, worse: new Map() };
  const valued = runs.flatMap(({ id }) => (read.kinds.has(read.keyOf(id)) ? [id] : []));
  const placeOf = new Map(valued.map((id, i) => [id, i]));
  const own: RunScope = { ...scope, headline: headline.path };
  const shownIds = new Set(shown.map(({ id }) => id));
  const from = valued.findIndex((id) => shownIds.has(id));
  for (const [place, step] of from === -1 ? [] : await walkThrough(own, valued, from)) {
    const id = valued[place] ?? "";
    if (shownIds.has(id)) steps.set(id, step);
  }
  for (const { id } of shown) {
    const before = runs[runs.findIndex((one) => one.id === id) - 1]?.id ?? "";
    if (before === "") continue;
    const [place, other] = [placeOf.get(id), placeOf.get(before)];
    const step = steps.get(id);
    const isWalked = other !== undefined && step?.reference === other;
    const pair = isWalked ? step : (await compareRuns(own, before, [id])).get(id);
    if (pair?.changes != null) changes.set(id, pair.changes);
    if (place === undefined || other === undefined) continue;
    if (pair?.comparison != null) previous.set(id, pair.comparison);
  }
  const { direction, lower_is_better: lower } = headline.shown;
  const isTold = direction !== null;
  const worse = isTold ? await readWorse(own, valued, steps, lower, read) : new Map<string, WorseSince>();
  return { valued, steps, previous, changes, worse };
}

/** Since when runs are worse, as of each at which a loss lasts. */
async function readWorse(
  { remembering }: RunScope,
  valued: readonly string[],
  steps: ReadonlyMap<string, Step>,
  lower: boolean,
  { keyOf, values }: ReadHeadline,
): Promise<Map<string, WorseSince>> {
  const { confidence } = remembering.comparing;
  const found = new Map<string, WorseSince>();
  const noise = chainNoise(Math.min(valued.length, LONGEST_CHAIN));
  for (const [id, { reference, worseFrom }] of steps) {
    if (reference === null || worseFrom === null) continue;
    const ids = valued.slice(reference, valued.indexOf(id) + 1);
    const common = await values.common(ids.map(keyOf));
    const loss = { ids, values: common, first: worseFrom - reference };
    found.set(id, worseSince(loss, { lower, confidence }, noise));
  }
  return found;
}

type ReadHeadline = NonNullable<Awaited<ReturnType<typeof readHeadline>>>;

/** Which runs have a value in the headline score, and what they have; null where there is no trial. */
async function readHeadline(
  { session, context, projectId, remembering }: Omit<RunScope, "headline">,
  runs: readonly ListedEvaluation[],
  { path: { path } }: RankedDimension,
) {
  const request = { ...remembering.ranking.request, evaluationIds: runs.map(({ id }) => id) };
  const catalog = await readQueryCatalog(session, context.catalogs, projectId, request);
  const plan = await withLongTexts(session, buildPlan(projectId, request, catalog), request);
  const own = plan?.summary?.scorePaths.find((one) => dimensionName(one.path) === dimensionName(path));
  if (plan?.summary == null || own === undefined) return null;
  const kinds = kindsAt(own.key, await readKinds(session, plan, plan.summary));
  return {
    kinds,
    keyOf: (id: string) => catalog.evaluations.get(id)?.key ?? -1,
    values: valueReader(session, plan, own, { kinds, clusterBy: request.clusterBy }),
  };
}

/** Walks through the chains that the runs from `first` on are in; by index. */
async function walkThrough(
  scope: RunScope,
  valued: readonly string[],
  first: number,
): Promise<Map<number, Step>> {
  const { confidence } = scope.remembering.comparing;
  const steps = new Map<number, Step>();
  const idOf = (place: number) => valued[place] ?? "";
  const compare: CompareRuns = async (reference, places) => {
    const found = await compareRuns(scope, idOf(reference), places.map(idOf));
    return new Map(
      places.flatMap((place): [number, ComparedRun][] => {
        const one = found.get(idOf(place));
        return one === undefined ? [] : [[place, one]];
      }),
    );
  };
  for (let from = first - (first % LONGEST_CHAIN); from < valued.length; from += LONGEST_CHAIN) {
    const end = Math.min(from + LONGEST_CHAIN, valued.length);
    for (const [place, step] of await walk(from, end, 1 - confidence, compare)) steps.set(place, step);
  }
  return steps;
}
