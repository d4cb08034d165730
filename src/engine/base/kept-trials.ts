import type { Key } from "../../model/digest.ts";
import type { Plan } from "../../plan/plan.ts";
import type { TrialRecord } from "../../plan/results.ts";
import type { Session } from "../../store/session.ts";
import { epochCache, type EpochCache } from "../../flow/epoch-cache.ts";
import { readBoth } from "./read-both.ts";
import { compileTrials, compileTrialVersions, compileVersionKeys } from "../../compile/rows/trials.ts";

/** Trials by row, as pages have read them since the last write, for other pages with the same rows. */
export type KeptTrials = EpochCache<readonly TrialRecord[]>;

/** Most characters kept in all trials together. */
const CAPACITY = 8 * 1024 * 1024;
/** More rows at once than a page shows are read but once. */
const MOST_ROWS = 100;
/** What a trial takes beside its texts, in characters. */
const TRIAL_SIZE = 200;

export function createKeptTrials(): KeptTrials {
  return epochCache(CAPACITY, (key, trials) => trials.reduce((sum, one) => sum + sizeOf(one), key.length));
}

function sizeOf({ output, scorerCallIds, lateScores, example }: TrialRecord): number {
  return [output, scorerCallIds, lateScores, example].reduce(
    (sum, text) => sum + (text?.length ?? 0),
    TRIAL_SIZE,
  );
}

/** The trials of rows in the evaluations of the plan; asks only for those of rows that are not kept. */
export async function readTrials(
  session: Session,
  kept: KeptTrials | null,
  plan: Plan,
  keys: readonly Key[],
): Promise<ReadonlyMap<Key, readonly TrialRecord[]>> {
  const { epoch } = session;
  if (kept === null || epoch === null || keys.length > MOST_ROWS) return askForTrials(session, plan, keys);
  const { projectId, evaluationIds, evaluationKeys, includeChildren, rows } = plan;
  const among = JSON.stringify([projectId, evaluationIds, evaluationKeys, includeChildren, rows?.rawRows]);
  const nameOf = (key: Key) => `${key} ${among}`;
  const found = new Map(keys.map((key) => [key, kept.find(nameOf(key), epoch)]));
  const missing = keys.filter((key) => found.get(key) === undefined);
  const read = missing.length === 0 ? null : await askForTrials(session, plan, missing);
  read?.forEach((trials, key) => kept.keep(nameOf(key), epoch, trials));
  return new Map(keys.map((key) => [key, found.get(key) ?? read?.get(key) ?? []]));
}

async function askForTrials(
  session: Session,
  plan: Plan,
  keys: readonly Key[],
): Promise<ReadonlyMap<Key, readonly TrialRecord[]>> {
  const trials = new Map<Key, TrialRecord[]>(keys.map((key) => [key, []]));
  for (const trial of await readTrialsOf(session, plan, keys)) trials.get(trial.rowKey)?.push(trial);
  return trials;
}

/**
 * More are read by a scan: DuckDB plans 10 µs a key, and looks up at most 2,048. Pages of 200 rows in 10 evaluations
 * took 51 to 78 instead of 73 to 87 ms with it, a million trials.
 */
const MOST_KEYS = 2000;

/** The trials of rows in the evaluations of the plan, by an index where that is faster. */
async function readTrialsOf(
  session: Session,
  plan: Plan,
  rowKeys: readonly Key[],
): Promise<readonly TrialRecord[]> {
  return (await lookUp(session, plan, rowKeys)) ?? session.all(compileTrials(plan, rowKeys));
}

/** Null where an index is slower, or does not find all. */
async function lookUp(
  session: Session,
  plan: Plan,
  rowKeys: readonly Key[],
): Promise<readonly TrialRecord[] | null> {
  if (!plan.manyTrials || rowKeys.length * plan.evaluationKeys.length > MOST_KEYS) return null;
  const keys = (await session.all(compileVersionKeys(plan, rowKeys))).map(({ key }) => key);
  if (keys.length > MOST_KEYS) return null;
  const half = Math.ceil(keys.length / 2);
  // DuckDB looks up all keys of a statement in one thread.
  const some = (own: Session) => readVersions(own, plan, keys.slice(0, half));
  const others = (own: Session) => readVersions(own, plan, keys.slice(half));
  const found = (await readBoth(session, some, others)).flat();
  return found.length === keys.length ? found : null;
}

async function readVersions(
  session: Session,
  plan: Plan,
  keys: readonly Key[],
): Promise<readonly TrialRecord[]> {
  return keys.length === 0 ? [] : session.all(compileTrialVersions(plan, keys));
}
