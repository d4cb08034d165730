import { inSlices, type Turns } from "../../model/turns.ts";
import { createHashIndex, NONE, type HashIndex } from "./hash-index.ts";
import type { CallTree } from "./read-tree.ts";

/** What a walk knows of trials and evaluations; each list has the halves of hashes. */
export interface Roots {
  readonly trials: HashList;
  /** The predict calls and the score calls that trials name. */
  readonly predicts: Int32Array;
  readonly scorers: Int32Array;
  /** The calls that have trials. */
  readonly evaluations: Int32Array;
  /** The hashes of the trials of some of these, by their places: those that are below calls of walked ones. */
  readonly nestedIn: (evaluations: readonly number[]) => Promise<Int32Array>;
}

/** The halves of hashes, and where each is among them. */
export interface HashList {
  readonly hashes: Int32Array;
  readonly index: HashIndex;
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

/** Finds the trial of each call, whatever the calls say of their parents. */
export async function findPlaces(tree: CallTree, roots: Roots, turns: Turns): Promise<Places> {
  const { length } = tree;
  const own = await ownTrials(tree, roots.trials.index, turns);
  const { marks, parents } = await findNamed(tree, roots, own, turns);
  const places = {
    trial: new Int32Array(length).fill(UNKNOWN),
    above: new Int32Array(length).fill(NONE),
    depth: new Int32Array(length),
    order: new Int32Array(length),
    marks,
  };
  const climb = climber(places, own, parents);
  let placed = 0;
  await inSlices(length, turns, (from, to) => {
    for (let i = from; i < to; i++) placed = climb(i, placed);
  });
  return { ...places, order: places.order.subarray(0, placed) };
}

/** The trial that each call names as what is above it, -1 for none. */
async function ownTrials(tree: CallTree, trials: HashIndex, turns: Turns): Promise<Int32Array> {
  const { words } = tree.halves("parent");
  const own = new Int32Array(tree.length);
  await inSlices(own.length, turns, (from, to) => {
    for (let i = from; i < to; i++) {
      const isLike = i > 0 && words[i * 2] === words[i * 2 - 2] && words[i * 2 + 1] === words[i * 2 - 1];
      own[i] = isLike ? (own[i - 1] ?? NONE) : trials.find(words, i);
    }
  });
  return own;
}

/** The marks of all calls, and the call above each that is below no trial itself, -1 for none. */
async function findNamed(tree: CallTree, roots: Roots, own: Int32Array, turns: Turns) {
  const others: number[] = [];
  await inSlices(own.length, turns, (from, to) => {
    for (let i = from; i < to; i++) if (own[i] === NONE) others.push(i);
  });
  const lists: readonly (readonly [hashes: Int32Array, mark: number])[] = [
    [await pickHashes(tree, others, turns), 0],
    [roots.evaluations, STANDS_APART],
    [roots.predicts, PREDICTS],
    [roots.scorers, SCORES],
    [roots.trials.hashes, IS_TRIAL],
  ];
  const { marks, callsOf } = await findMarked(tree, lists, turns);
  const { index } = roots.trials;
  const within = Array.from(callsOf(1), (call, i) => ({ call, i })).flatMap(({ call, i }) =>
    call === NONE && index.find(roots.evaluations, i) === NONE ? [] : [i],
  );
  if (within.length > 0) {
    const nested = await findMarked(tree, [[await roots.nestedIn(within), IS_TRIAL]], turns);
    for (let i = 0; i < marks.length; i++) marks[i] = (marks[i] ?? 0) | (nested.marks[i] ?? 0);
  }
  const parents = new Int32Array(tree.length).fill(NONE);
  const above = callsOf(0);
  await inSlices(others.length, turns, (from, to) => {
    for (let i = from; i < to; i++) parents[others[i] ?? 0] = above[i] ?? NONE;
  });
  return { marks, parents };
}

/** What some calls name as what is above them. */
async function pickHashes(tree: CallTree, calls: readonly number[], turns: Turns): Promise<Int32Array> {
  const { words } = tree.halves("parent");
  const hashes = new Int32Array(calls.length * 2);
  await inSlices(calls.length, turns, (from, to) => {
    for (let i = from; i < to; i++) {
      const call = calls[i] ?? 0;
      hashes[i * 2] = words[call * 2] ?? 0;
      hashes[i * 2 + 1] = words[call * 2 + 1] ?? 0;
    }
  });
  return hashes;
}

/** Marks the calls that have hashes of these lists; `callsOf` a list gives the call of each, -1 for none. */
async function findMarked(
  tree: CallTree,
  lists: readonly (readonly [hashes: Int32Array, mark: number])[],
  turns: Turns,
) {
  const hashes = new Int32Array(lists.reduce((sum, [own]) => sum + own.length, 0));
  const bits = new Uint8Array(hashes.length / 2);
  const index = createHashIndex(hashes, bits.length);
  const known = new Int32Array(bits.length);
  const starts: number[] = [];
  let first = 0;
  for (const [own, bit] of lists) {
    starts.push(first);
    hashes.set(own, first * 2);
    await inSlices(own.length / 2, turns, (from, to) => {
      for (let i = first + from; i < first + to; i++) {
        const place = index.add(i);
        known[i] = place;
        bits[place] = (bits[place] ?? 0) | bit;
      }
    });
    first += own.length / 2;
  }
  const [marks, calls] = [new Uint8Array(tree.length), new Int32Array(bits.length).fill(NONE)];
  const { words } = tree.halves("hash");
  await inSlices(tree.length, turns, (from, to) => {
    for (let i = from; i < to; i++) {
      const place = index.find(words, i);
      if (place === NONE) continue;
      marks[i] = bits[place] ?? 0;
      calls[place] = i;
    }
  });
  const callsOf = (list: number) =>
    known.subarray(starts[list], starts[list + 1]).map((place) => calls[place] ?? NONE);
  return { marks, callsOf };
}

/** Goes up from a call until it is known where it stands, then down again; returns how many calls are placed by now. */
function climber(
  { trial, above, depth, order, marks }: Places,
  own: Int32Array,
  parents: Int32Array,
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
        found = own[at] ?? NONE;
        if (found !== NONE) break;
        top = at = parents[at] ?? NONE;
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
