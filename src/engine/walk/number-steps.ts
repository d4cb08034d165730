import { STEPS_AT_ONCE, inSlices, type Turns } from "../../model/turns.ts";
import type { Places } from "./find-places.ts";
import { CHAT, FRAME, type FoundSteps, TOOL } from "./find-steps.ts";
import { createHashIndex, NONE } from "./hash-index.ts";
import type { CallTree } from "./read-tree.ts";

/** Steps and frames by trial, in their order. */
export interface NumberedSteps {
  /** Calls; those of a trial stand together, from its place in `starts` on. */
  readonly calls: Int32Array;
  readonly starts: Int32Array;
  /** By call: its number and turn, 0 of a frame; the first call of the trial with its action, -1 for itself. */
  readonly steps: Int32Array;
  readonly turns: Int32Array;
  readonly repeated: Int32Array;
}

/** Orders and numbers the steps of each trial; null where that needs the ids of calls, which were not read. */
export async function numberSteps(
  tree: CallTree,
  places: Places,
  found: FoundSteps,
  trials: number,
  turns: Turns,
): Promise<NumberedSteps | null> {
  const { calls, starts } = await byTrial(places, found, trials, turns);
  const order = comparison(tree, places);
  for (const trial of await disordered({ calls, starts }, order.compare, turns)) {
    if (order.lacksIds()) return null;
    await sortInSlices(calls.subarray(starts[trial], starts[trial + 1]), order.compare, turns);
  }
  if (order.lacksIds()) return null;
  const [steps, turn] = [new Int32Array(tree.length), new Int32Array(tree.length)];
  let [trial, step, chats] = [0, 0, 0];
  await inSlices(calls.length, turns, (from, to) => {
    for (let at = from; at < to; at++) {
      const call = calls[at] ?? 0;
      for (; at >= (starts[trial + 1] ?? Infinity); trial++) [step, chats] = [0, 0];
      if (found.kinds[call] === FRAME) continue;
      if (found.operations[call] === CHAT) chats++;
      steps[call] = ++step;
      turn[call] = chats;
    }
  });
  const repeated = await findRepeats({ tree, found }, { calls, starts }, turns);
  return { calls, starts, steps, turns: turn, repeated };
}

/** The first of the calls of its trial that has the action of each, as they stand; -1 for itself, and for no tool. */
export async function findRepeats(
  { tree, found }: { readonly tree: CallTree; readonly found: FoundSteps },
  { calls, starts }: Pick<NumberedSteps, "calls" | "starts">,
  turns: Turns,
): Promise<Int32Array> {
  const repeated = new Int32Array(tree.length).fill(NONE);
  const actions = tree.halves("action").words;
  let trial = -1;
  let first = createHashIndex(actions, 0);
  await inSlices(calls.length, turns, (from, to) => {
    for (let at = from; at < to; at++) {
      const call = calls[at] ?? 0;
      const before = trial;
      while (at >= (starts[trial + 1] ?? Infinity)) trial++;
      if (trial !== before) first = createHashIndex(actions, (starts[trial + 1] ?? 0) - (starts[trial] ?? 0));
      const isTool = found.operations[call] === TOOL && found.kinds[call] !== FRAME;
      const known = isTool ? first.add(call) : call;
      if (known !== call) repeated[call] = known;
    }
  });
  return repeated;
}

/** The calls that are steps and frames, by trial. */
export async function byTrial(
  { trial, order }: Places,
  { kinds }: FoundSteps,
  trials: number,
  turns: Turns,
): Promise<Pick<NumberedSteps, "calls" | "starts">> {
  const starts = new Int32Array(trials + 1);
  await inSlices(order.length, turns, (from, to) => {
    for (let i = from; i < to; i++) {
      const call = order[i] ?? 0;
      const own = (trial[call] ?? 0) + 1;
      if (kinds[call] !== 0) starts[own] = (starts[own] ?? 0) + 1;
    }
  });
  for (let i = 0; i < trials; i++) starts[i + 1] = (starts[i + 1] ?? 0) + (starts[i] ?? 0);
  const next = starts.slice();
  const calls = new Int32Array(starts[trials] ?? 0);
  await inSlices(kinds.length, turns, (from, to) => {
    for (let call = from; call < to; call++) {
      const own = trial[call] ?? NONE;
      if (kinds[call] === 0 || own < 0) continue;
      calls[next[own] ?? 0] = call;
      next[own] = (next[own] ?? 0) + 1;
    }
  });
  return { calls, starts };
}

type Compare = (a: number, b: number) => number;

/** By start, then by the place that calls state, then those above first, then by id. */
function comparison(
  tree: CallTree,
  { depth }: Places,
): { readonly compare: Compare; readonly lacksIds: () => boolean } {
  const { words } = tree.halves("startedAt");
  const place = tree.numbers("place");
  const ids = tree.has("id") ? tree.texts("id") : null;
  let lacks = false;
  const stated = (call: number) => ((place[call] ?? NONE) < 0 ? Infinity : (place[call] ?? 0));
  const compare = (a: number, b: number): number => {
    const upper = (words[a * 2 + 1] ?? 0) - (words[b * 2 + 1] ?? 0);
    if (upper !== 0) return upper;
    const lower = ((words[a * 2] ?? 0) >>> 0) - ((words[b * 2] ?? 0) >>> 0);
    if (lower !== 0) return lower;
    const [one, other] = [stated(a), stated(b)];
    if (one !== other) return one - other;
    const levels = (depth[a] ?? 0) - (depth[b] ?? 0);
    if (levels !== 0 || a === b) return levels;
    if (ids === null) lacks = true;
    return ids?.compare(a, b) ?? 0;
  };
  return { compare, lacksIds: () => lacks };
}

/** The trials whose calls are not in order. */
async function disordered(
  { calls, starts }: Pick<NumberedSteps, "calls" | "starts">,
  compare: Compare,
  turns: Turns,
): Promise<Set<number>> {
  const found = new Set<number>();
  let trial = 0;
  await inSlices(calls.length, turns, (from, to) => {
    for (let at = from; at < to; at++) {
      const before = trial;
      while (at >= (starts[trial + 1] ?? Infinity)) trial++;
      if (trial === before && at > 0 && compare(calls[at - 1] ?? 0, calls[at] ?? 0) > 0) found.add(trial);
    }
  });
  return found;
}

/** Sorts in pieces, and merges them in pieces. */
async function sortInSlices(calls: Int32Array, compare: Compare, turns: Turns): Promise<void> {
  await inSlices(calls.length, turns, (from, to) => {
    calls.subarray(from, to).sort(compare);
  });
  for (let width = STEPS_AT_ONCE; width < calls.length; width *= 2) {
    const before = calls.slice();
    for (let at = 0; at < calls.length; at += width * 2)
      await merge(
        before,
        calls,
        [at, Math.min(at + width, calls.length), Math.min(at + width * 2, calls.length)],
        {
          compare,
          turns,
        },
      );
  }
}

async function merge(
  from: Int32Array,
  to: Int32Array,
  [start, middle, end]: readonly [number, number, number],
  { compare, turns }: { readonly compare: Compare; readonly turns: Turns },
): Promise<void> {
  let [left, right] = [start, middle];
  await inSlices(end - start, turns, (first, last) => {
    for (let at = start + first; at < start + last; at++) {
      const isLeft = left < middle && (right >= end || compare(from[left] ?? 0, from[right] ?? 0) <= 0);
      to[at] = from[isLeft ? left++ : right++] ?? 0;
    }
  });
}
