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
import { findPlaces, indexCalls, indexHashes, type Places } from "./find-places.ts";
import { findSteps, type FoundSteps } from "./find-steps.ts";
import { NONE } from "./hash-index.ts";
import { numberSteps, type NumberedSteps } from "./number-steps.ts";
import { readCallTree, type CallTree } from "./read-tree.ts";

type WalkedTrial = RowOf<typeof compileWalkedTrials>;

/** What is below trials. */
export interface Walk {
  readonly trials: readonly WalkedTrial[];
  readonly tree: CallTree;
  readonly places: Places;
  readonly found: FoundSteps;
  readonly numbered: NumberedSteps;
}

/** What every walk reads of a call. */
const NEEDED: readonly TreeColumn[] = ["hash", "parent", "level", "startedAt", "state", "action", "place"];

/** Walks from the trials of a scope to their steps; reads `columns` of calls, too. */
export async function walkTrials(
  session: Session,
  scope: WalkScope,
  columns: readonly TreeColumn[],
): Promise<Walk> {
  const trials = await session.all(compileWalkedTrials(scope));
  const walk = await walkBelow(session, scope, trials, [...new Set([...NEEDED, ...columns])]);
  // Calls that nothing else tells apart are in the order of their ids, which few walks need.
  return (
    walk ??
    mustWalk(await walkBelow(session, scope, trials, [...new Set([...NEEDED, ...columns, "id" as const])]))
  );
}

function mustWalk(walk: Walk | null): Walk {
  if (walk === null) throw new Error("calls with ids have no order");
  return walk;
}

/** Null where the order of steps needs ids that are not read. */
async function walkBelow(
  session: Session,
  scope: WalkScope,
  trials: readonly WalkedTrial[],
  columns: readonly TreeColumn[],
): Promise<Walk | null> {
  const { turns } = session;
  const tree = await readCallTree(session, scope, columns);
  const places = await placeCalls(session, scope, trials, tree);
  const found = await findSteps(tree, places, turns);
  const numbered = await numberSteps(tree, places, found, trials.length, turns);
  return numbered === null ? null : { trials, tree, places, found, numbered };
}

async function placeCalls(
  session: Session,
  scope: WalkScope,
  walked: readonly WalkedTrial[],
  tree: CallTree,
): Promise<Places> {
  const { turns } = session;
  const trials = halvesOf(walked.map(({ hash }) => hash));
  const predicts = halvesOf(walked.flatMap(({ predictHash }) => predictHash ?? []));
  const scorers = halvesOf(await scorerHashes(session, scope, walked));
  const calls = await indexCalls(tree, predicts.length + scorers.length > 0, turns);
  const roots = await indexHashes(trials, turns);
  const known = await session.all(compileEvaluationHashes(scope));
  const evaluations = halvesOf(known.map(({ hash }) => hash));
  const within = known.filter(
    (_, i) => calls.find(evaluations, i) !== NONE || roots.find(evaluations, i) !== NONE,
  );
  const keys = within.map(({ key }) => key);
  const below = keys.length === 0 ? [] : await session.all(compileTrialHashes(scope, keys));
  const nested = halvesOf(below.map(({ hash }) => hash));
  return findPlaces(
    tree,
    { calls, trials: roots },
    { trials, predicts, scorers, evaluations, nested },
    turns,
  );
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
