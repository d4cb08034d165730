import { isTrial, type CallBatch } from "./merge/call-batch.ts";
import type { Dictionaries } from "./keys/catalog.ts";
import type { Key } from "../model/digest.ts";
import { createKeySet, unpackKeySet, type KeySet, type PackedKeys } from "./keys/key-set.ts";
import type { KnownCall } from "./lookup/known-call.ts";

/** What the calls of a load are, while it is under way. */
export interface LoadCounts {
  /** Keys of the calls that the load names. */
  readonly calls: KeySet;
  /** Keys of the visible trials of which a call is new or changed. */
  readonly trials: KeySet;
  /** Keys of their evaluations, and of those whose root is new or changed. */
  readonly evaluations: Set<Key>;
  /** How many calls name a parent that is not stored, by the identity of that parent. */
  readonly unattached: Map<string, number>;
  /**
   * How many calls look like trials and are none, by the identity of their parent, which is no trial, then by their op
   * name.
   */
  readonly likeTrials: Map<string, Map<string, number>>;
  /** Stored calls that the load hid. */
  hidden: number;
}

/** What a load counts beside its records. */
export interface CallCounts {
  /** Evaluations that are new, or of which the root or a trial is new or changed. */
  readonly evaluations: number;
  /** Trials that are new, or of which a call is new or changed. */
  readonly trials: number;
  /** Calls of the load whose parent is not stored when it ends. Trials are not counted: they need no root. */
  readonly unattached: number;
  /**
   * Op names of calls of the load that look like trials of an evaluation and are none, and how many calls have them.
   */
  readonly unused_ops: Readonly<Record<string, number>>;
}

export function noCounts(): LoadCounts {
  return {
    calls: createKeySet(),
    trials: createKeySet(),
    evaluations: new Set(),
    unattached: new Map(),
    likeTrials: new Map(),
    hidden: 0,
  };
}

/** A copy: what is counted in a transaction counts only when it is committed. */
export function copyCounts(counts: LoadCounts): LoadCounts {
  return {
    calls: counts.calls.copy(),
    trials: counts.trials.copy(),
    evaluations: new Set(counts.evaluations),
    unattached: new Map(counts.unattached),
    likeTrials: new Map([...counts.likeTrials].map(([parent, ops]) => [parent, new Map(ops)])),
    hidden: counts.hidden,
  };
}

/** Counts as plain data, for another thread. */
export interface PackedCounts extends Omit<LoadCounts, "calls" | "trials"> {
  readonly calls: PackedKeys;
  readonly trials: PackedKeys;
}

export function packCounts(counts: LoadCounts): PackedCounts {
  return { ...counts, calls: counts.calls.pack(), trials: counts.trials.pack() };
}

export function unpackCounts(counts: PackedCounts): LoadCounts {
  return { ...counts, calls: unpackKeySet(counts.calls), trials: unpackKeySet(counts.trials) };
}

export function readCounts(counts: LoadCounts, isEvaluation: (identity: string) => boolean): CallCounts {
  const unused = new Map<string, number>();
  // Where nothing is an evaluation, its root has another op name as well.
  const all = [...counts.likeTrials];
  const below = all.filter(([parent]) => isEvaluation(parent));
  const isNone = counts.evaluations.size === 0 && below.length === 0;
  for (const [, ops] of isNone ? all : below) for (const [op, count] of ops) add(unused, op, count);
  return {
    evaluations: counts.evaluations.size,
    trials: counts.trials.size(),
    unattached: [...counts.unattached.values()].reduce((sum, count) => sum + count, 0),
    unused_ops: Object.fromEntries(unused),
  };
}

/** Counts a batch that was written; `owners` has the load of each record. */
export function countBatch(catalog: Dictionaries, batch: CallBatch, owners: readonly LoadCounts[]): void {
  const loads = new Map<LoadCounts, Set<string>>();
  for (const [i, identity] of batch.identities.entries()) {
    const owner = owners[i];
    const call = batch.known.get(identity);
    if (owner === undefined || call === undefined) continue;
    let counted = loads.get(owner);
    if (counted === undefined) loads.set(owner, (counted = new Set()));
    if (batch.outcomes[i] === "stored")
      countTouched(owner, catalog, batch, call, batch.namedParents[i] ?? null);
    if (counted.has(identity)) continue;
    counted.add(identity);
    countOdd(owner, batch, call);
  }
  for (const [owner] of loads) forgetRemoved(owner, batch);
  const [first] = loads.keys();
  if (first !== undefined) first.hidden += hiddenCalls(batch);
}

/**
 * The trials and the evaluation that a new or changed call belongs to, those that it left again within the batch
 * included.
 */
function countTouched(
  owner: LoadCounts,
  catalog: Dictionaries,
  { known, before }: CallBatch,
  call: KnownCall,
  namedParent: string | null,
): void {
  const evaluation = catalog.evaluations.get(call.identity);
  if (evaluation !== undefined && !call.hidden) owner.evaluations.add(evaluation.key);
  const parent = call.parent?.identity ?? null;
  const former = before.get(call.identity)?.parent?.identity ?? null;
  const touch = (identity: string) => {
    const trial = known.get(identity);
    if (trial === undefined || trial.hidden || !isTrial(trial)) return;
    owner.trials.add(trial.key);
    const ofTrial = trial.parent === null ? undefined : catalog.evaluations.get(trial.parent.identity);
    if (ofTrial !== undefined) owner.evaluations.add(ofTrial.key);
  };
  touch(call.identity);
  if (parent !== null) touch(parent);
  if (former !== null && former !== parent) touch(former);
  if (namedParent !== null && namedParent !== parent && namedParent !== former) touch(namedParent);
}

/** Whether its parent is missing, and whether it looks like a trial; what was counted of it before is taken back. */
function countOdd(owner: LoadCounts, batch: CallBatch, call: KnownCall): void {
  owner.unattached.delete(call.identity);
  const earlier = owner.calls.has(call.key) ? batch.before.get(call.identity) : undefined;
  owner.calls.add(call.key);
  if (earlier !== undefined) {
    const parent = neededParent(earlier);
    if (parent !== null && owner.unattached.has(parent)) add(owner.unattached, parent, -1);
    countLikeTrial(owner, batch, earlier, -1);
  }
  const parent = neededParent(call);
  if (parent !== null && !batch.known.has(parent)) add(owner.unattached, parent, 1);
  countLikeTrial(owner, batch, call, 1);
  // Children may come first.
  if (isTrial(call)) owner.likeTrials.delete(call.identity);
}

/** The parent without which a call belongs to nothing. */
function neededParent({ call, parent, hidden }: KnownCall): string | null {
  return hidden || call === null || call.trial !== null ? null : (parent?.identity ?? null);
}

/** A call below a trial, as most are, is not meant to be one. */
function countLikeTrial(
  { likeTrials }: LoadCounts,
  { known }: CallBatch,
  { call, parent, hidden }: KnownCall,
  by: 1 | -1,
): void {
  if (hidden || parent === null || call?.isLikeTrial !== true || isTrial(known.get(parent.identity))) return;
  const ops = likeTrials.get(parent.identity);
  if (ops !== undefined) add(ops, call.opName, by);
  else if (by > 0) likeTrials.set(parent.identity, new Map([[call.opName, 1]]));
}

function add(counts: Map<string, number>, name: string, by: number): void {
  const count = (counts.get(name) ?? 0) + by;
  if (count > 0) counts.set(name, count);
  else counts.delete(name);
}

/** Trials that an earlier batch of the load counted and that this one hid. */
function forgetRemoved(owner: LoadCounts, { staleTrials, trials }: CallBatch): void {
  if (staleTrials.size === 0) return;
  const kept = new Set([...trials.values()].map(({ trial }) => trial.key));
  for (const key of staleTrials) if (!kept.has(key)) owner.trials.delete(key);
}

function hiddenCalls({ changed, before }: CallBatch): number {
  let count = 0;
  changed.forEach((call, identity) => {
    if (call.hidden && call.isStored && before.get(identity)?.hidden !== true) count++;
  });
  return count;
}
