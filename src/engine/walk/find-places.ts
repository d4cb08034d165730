import type { Turns } from "../../model/turns.ts";
import { createHashIndex, NONE, type HashIndex } from "./hash-index.ts";
import type { CallTree } from "./read-tree.ts";

/** What a walk knows of trials and evaluations; each list has the halves of hashes. */
export interface Roots {
  readonly trials: Int32Array;
  /** The predict calls and the score calls that trials name. */
  readonly predicts: Int32Array;
  readonly scorers: Int32Array;
  readonly evaluations: Int32Array;
  /** Trials that are not walked, below calls of walked ones. */
  readonly nested: Int32Array;
}

/** Where calls stand; -1 is none. */
export interface Places {
  /** The trial that each call belongs to. */
  readonly trial: Int32Array;
  /** The call above it in its trial, and how many there are. */
  readonly above: Int32Array;
  readonly depth: Int32Array;
  /** Calls of trials, each behind the one above it. */
  readonly order: Int32Array;
  readonly marks: Uint8Array;
}

const UNKNOWN = -2;
const ON_THE_WAY = -3;

/** Marks of calls: what a trial predicts or is scored with, and what is a trial or an evaluation itself. */
export const PREDICTS = 1;
export const SCORES = 2;
export const STANDS_APART = 4;
const IS_TRIAL = 8;

/** A step of work so long takes a millisecond or so. */
export const AT_ONCE = 0x3fff;

export async function indexHashes(hashes: Int32Array, turns: Turns): Promise<HashIndex> {
  const places = Int32Array.from({ length: hashes.length / 2 }, (_, i) => i);
  return indexAt(hashes, places, turns);
}

/** The calls that others may be below. */
export async function indexCalls(tree: CallTree, turns: Turns): Promise<HashIndex> {
  const levels = tree.numbers("level");
  let deepest = 0;
  for (let i = 0; i < tree.length; i++) deepest = Math.max(deepest, levels[i] ?? 0);
  const places = new Int32Array(tree.length);
  let count = 0;
  for (let i = 0; i < tree.length; i++) if ((levels[i] ?? 0) < deepest || deepest === 0) places[count++] = i;
  return indexAt(tree.halves("hash").words, places.subarray(0, count), turns);
}

async function indexAt(hashes: Int32Array, places: Int32Array, turns: Turns): Promise<HashIndex> {
  const index = createHashIndex(hashes, places.length);
  for (let i = 0; i < places.length; i++) {
    if ((i & AT_ONCE) === 0) await turns.take();
    index.add(places[i] ?? 0);
  }
  return index;
}

/** Finds the trial of each call, whatever the calls say of their parents. */
export async function findPlaces(
  tree: CallTree,
  { calls, trials }: { readonly calls: HashIndex; readonly trials: HashIndex },
  roots: Roots,
  turns: Turns,
): Promise<Places> {
  const { length } = tree;
  const { words: parents } = tree.halves("parent");
  const places = {
    trial: new Int32Array(length).fill(UNKNOWN),
    above: new Int32Array(length).fill(NONE),
    depth: new Int32Array(length),
    order: new Int32Array(length),
    marks: await marksOf(tree, roots, turns),
  };
  const climb = climber(places, { calls, trials, parents });
  let placed = 0;
  for (let i = 0; i < length; i++) {
    if ((i & AT_ONCE) === 0) await turns.take();
    placed = climb(i, placed);
  }
  return { ...places, order: places.order.subarray(0, placed) };
}

/** The marks of all calls, also of those that no call is below. */
async function marksOf(tree: CallTree, roots: Roots, turns: Turns): Promise<Uint8Array> {
  const lists = [
    [roots.predicts, PREDICTS],
    [roots.scorers, SCORES],
    [roots.evaluations, STANDS_APART],
    [roots.trials, IS_TRIAL],
    [roots.nested, IS_TRIAL],
  ] as const;
  const hashes = new Int32Array(lists.reduce((sum, [own]) => sum + own.length, 0));
  const bits = new Uint8Array(hashes.length / 2);
  const index = createHashIndex(hashes, bits.length);
  let next = 0;
  for (const [own, bit] of lists) {
    hashes.set(own, next * 2);
    for (const end = next + own.length / 2; next < end; next++) {
      if ((next & AT_ONCE) === 0) await turns.take();
      const place = index.add(next);
      bits[place] = (bits[place] ?? 0) | bit;
    }
  }
  const marks = new Uint8Array(tree.length);
  const { words } = tree.halves("hash");
  for (let i = 0; i < tree.length; i++) {
    if ((i & AT_ONCE) === 0) await turns.take();
    const place = index.find(words, i);
    if (place !== NONE) marks[i] = bits[place] ?? 0;
  }
  return marks;
}

interface Ways {
  readonly calls: HashIndex;
  readonly trials: HashIndex;
  readonly parents: Int32Array;
}

/** Goes up from a call until it is known where it stands, then down again; returns how many calls are placed by now. */
function climber(
  { trial, above, depth, order, marks }: Places,
  { calls, trials, parents }: Ways,
): (from: number, placed: number) => number {
  const way: number[] = [];
  const isTrial = (call: number) => ((marks[call] ?? 0) & IS_TRIAL) !== 0;
  return (from, placed) => {
    let at = from;
    let top = NONE;
    let found = trial[at] ?? NONE;
    while (found === UNKNOWN) {
      trial[at] = ON_THE_WAY;
      way.push(at);
      top = NONE;
      if (isTrial(at)) found = NONE;
      else {
        found = trials.find(parents, at);
        if (found !== NONE) break;
        top = at = calls.find(parents, at);
        if (at !== NONE) found = isTrial(at) ? NONE : (trial[at] ?? NONE);
      }
    }
    if (found === ON_THE_WAY) found = NONE;
    let next = placed;
    for (let call = way.pop(); call !== undefined; call = way.pop()) {
      trial[call] = found;
      if (found === NONE) continue;
      above[call] = top;
      depth[call] = top === NONE ? 0 : (depth[top] ?? 0) + 1;
      order[next++] = call;
      top = call;
    }
    return next;
  };
}
