import {
  compileEvaluationHashes,
  loadedIdHashes,
  compileTrialHashes,
  compileWalkedTrials,
  type TreeColumn,
  type WalkScope,
} from "../../compile/walk/call-tree.ts";
import type { RowOf } from "../../store/query.ts";
import type { Session } from "../../store/session.ts";
import { findPlaces, type HashList, type Places } from "./find-places.ts";
import { findSteps, type FoundSteps } from "./find-steps.ts";
import { numberSteps, type NumberedSteps } from "./number-steps.ts";
import { indexHashes, readCallTree, type CallTree } from "./read-tree.ts";

type WalkedTrial = RowOf<typeof compileWalkedTrials>;

/** The steps below trials, in no order. */
export interface FoundBelow {
  readonly trials: readonly WalkedTrial[];
  readonly tree: CallTree;
  readonly places: Places;
  readonly found: FoundSteps;
}

/** The steps below trials. */
export interface Walk extends FoundBelow {
  readonly numbered: NumberedSteps;
}

/** What is read of a call to find steps, and to order them. */
const FOUND_BY: readonly TreeColumn[] = ["hash", "parent", "key", "state", "action"];
const ORDERED_BY: readonly TreeColumn[] = ["startedAt", "place"];

/** Walks from the trials of a scope to their steps; reads `columns` of calls, too. */
export async function walkTrials(
  session: Session,
  scope: WalkScope,
  columns: readonly TreeColumn[],
): Promise<Walk> {
  const wanted = [...ORDERED_BY, ...columns];
  // Calls that nothing else tells apart are in the order of their ids, which few walks need.
  const walk = await orderedBelow(session, scope, wanted);
  return walk ?? mustWalk(await orderedBelow(session, scope, [...wanted, "id"]));
}

function mustWalk(walk: Walk | null): Walk {
  if (walk === null) throw new Error("calls with ids have no order");
  return walk;
}

/** Null where the order of steps needs ids that are not read. */
async function orderedBelow(
  session: Session,
  scope: WalkScope,
  columns: readonly TreeColumn[],
): Promise<Walk | null> {
  const below = await findBelow(session, scope, columns);
  const { tree, places, found, trials } = below;
  const numbered = await numberSteps(tree, places, found, trials.length, session.turns);
  return numbered === null ? null : { ...below, numbered };
}

/** Finds the steps of the trials of a scope; reads `columns` of calls, too. */
export async function findBelow(
  session: Session,
  scope: WalkScope,
  columns: readonly TreeColumn[],
): Promise<FoundBelow> {
  const trials = await session.all(compileWalkedTrials(scope));
  const hashes = halvesOf(trials.map(({ hash }) => hash));
  const roots = { hashes, index: await indexHashes(hashes, session.turns) };
  const tree = await readCallTree(session, scope, [...new Set([...FOUND_BY, ...columns])], roots);
  const places = await placeCalls(session, scope, trials, roots, tree);
  return { trials, tree, places, found: await findSteps(tree, places, session.turns) };
}

async function placeCalls(
  session: Session,
  scope: WalkScope,
  walked: readonly WalkedTrial[],
  trials: HashList,
  tree: CallTree,
): Promise<Places> {
  const predicts = halvesOf(walked.flatMap(({ predictHash }) => predictHash ?? []));
  const scorers = halvesOf(await scorerHashes(session, scope, walked));
  const known = await session.all(compileEvaluationHashes(scope));
  const evaluations = halvesOf(known.map(({ hash }) => hash));
  const nestedIn = async (places: readonly number[]) => {
    const keys = places.flatMap((place) => known[place]?.key ?? []);
    return halvesOf((await session.all(compileTrialHashes(scope, keys))).map(({ hash }) => hash));
  };
  return findPlaces(tree, { trials, predicts, scorers, evaluations, nestedIn }, session.turns);
}

async function scorerHashes(
  session: Session,
  scope: WalkScope,
  trials: readonly WalkedTrial[],
): Promise<bigint[]> {
  const ids = new Set<string>();
  for (const { scorerCallIds } of trials) {
    await session.turns.take();
    if (scorerCallIds !== null)
      for (const id of Object.values(JSON.parse(scorerCallIds) as Record<string, string>)) ids.add(id);
  }
  if (ids.size === 0) return [];
  session.load("walked_ids", [{ name: "id", type: "VARCHAR", values: [...ids] }]);
  return (await session.all(loadedIdHashes(scope))).map(({ hash }) => hash);
}

function halvesOf(hashes: readonly bigint[]): Int32Array {
  return new Int32Array(BigUint64Array.from(hashes).buffer);
}
