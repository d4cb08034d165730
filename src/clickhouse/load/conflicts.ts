import { integerOf } from "../server/integer-of.ts";
import { StoreError } from "../../errors.ts";
import { halvesOf } from "../lookup/stored-keys.ts";
import { MOST_NAMED } from "../lookup/visible.ts";
import type { LoadState } from "./load-state.ts";
import type { Named } from "./resettle.ts";

/** What other writers committed since the load began, and that concerns it. */
export interface Conflicts {
  /** Calls whose trials are to be settled again. */
  readonly trials: readonly Named[];
  /**
   * Calls of which what is stored is to be made anew: what all of their records make, and their records in
   * `evaluations`.
   */
  readonly calls: readonly Named[];
}

/** A load cannot be finished as it is: it left out what said nothing new, and others have changed just that. */
export class MustRepeat extends StoreError {
  constructor() {
    super(
      "conflict",
      "another writer stored records of the same calls meanwhile; nothing of this load is stored, load it again",
    );
  }
}

type Keys = Map<number, Set<bigint>>;

/** Finds what of these loads concerns the load. Throws {@link MustRepeat}. */
export async function findConflicts(state: LoadState, others: readonly bigint[]): Promise<Conflicts> {
  const trials: Keys = new Map();
  const calls: Keys = new Map();
  for (let at = 0; at < others.length; at += MOST_NAMED)
    await findSome(state, others.slice(at, at + MOST_NAMED), trials, calls);
  return { trials: named(trials), calls: named(calls) };
}

async function findSome(
  state: LoadState,
  others: readonly bigint[],
  trials: Keys,
  calls: Keys,
): Promise<void> {
  const found = await state.client.rows(
    `SELECT DISTINCT project_key, call_key, group_key, parent_key FROM fragments WHERE load IN {others: Array(UInt64)}`,
    { others },
  );
  for (const [projectKey, ...keys] of found) {
    const project = state.known.known.byKey(integerOf(projectKey));
    if (project === undefined) continue;
    const [call = 0n, group = 0n, parent = 0n] = keys.map(integerOf);
    if (state.unchanged.has(halvesOf(call))) throw new MustRepeat();
    if (state.looked.has(halvesOf(call))) {
      for (const key of [call, group, parent]) if (key !== 0n) add(trials, project, key);
      add(calls, project, call);
    }
    if (state.settled.has(halvesOf(group)) || state.settled.has(halvesOf(parent)))
      for (const key of [group, parent]) if (key !== 0n) add(trials, project, key);
    if (state.hidden.has(halvesOf(parent))) add(trials, project, call);
  }
  for (const [projectKey, key] of await writtenAnew(state, others)) {
    const project = state.known.known.byKey(projectKey);
    if (project !== undefined && state.looked.has(halvesOf(key))) add(calls, project, key);
  }
  for (const [projectKey, key] of await respelledTrials(state, others)) {
    const project = state.known.known.byKey(projectKey);
    if (project !== undefined) add(trials, project, key);
  }
}

function add(to: Keys, project: number, key: bigint): void {
  const keys = to.get(project) ?? new Set();
  to.set(project, keys.add(key));
}

function named(keys: Keys): Named[] {
  return Array.from(keys, ([project, some]) => ({ project, keys: some }));
}

/**
 * Calls of which others have stored what they are: whether or not they have sent records of them, theirs is the latest.
 */
async function writtenAnew({ client }: LoadState, others: readonly bigint[]): Promise<[bigint, bigint][]> {
  const found = await client.rows(
    `SELECT DISTINCT project_key, evaluation_key FROM evaluations WHERE load IN {others: Array(UInt64)}
    UNION DISTINCT SELECT project_key, call_key FROM merged_calls WHERE load IN {others: Array(UInt64)}`,
    { others },
  );
  return found.map(([project, key]) => [integerOf(project), integerOf(key)]);
}

/** The trials of rows that this load and another one took for new, each with a spelling of its own. */
async function respelledTrials(
  { client, open }: LoadState,
  others: readonly bigint[],
): Promise<[bigint, bigint][]> {
  const { load } = open.outbox;
  const found = await client.rows(
    `SELECT DISTINCT project_key, trial_key FROM trials
    WHERE (load = {load: UInt64} OR load IN {others: Array(UInt64)}) AND (project_key, row_key) IN (
      SELECT project_key, row_key FROM rows
      WHERE (load = {load: UInt64} OR load IN {others: Array(UInt64)}) AND inline_example IS NOT NULL
      GROUP BY project_key, row_key HAVING uniqExact(inline_example) > 1)`,
    { load, others },
  );
  return found.map(([project, key]) => [integerOf(project), integerOf(key)]);
}
