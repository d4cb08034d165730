import type { Turns } from "../../model/turns.ts";
import { AT_ONCE, type Places } from "./find-places.ts";
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
  for (let trial = 0; trial < trials; trial++) {
    if ((trial & AT_ONCE) === 0) await turns.take();
    const own = calls.subarray(starts[trial], starts[trial + 1]);
    if (!(await isOrdered(own, order.compare, turns))) await sortInSlices(own, order.compare, turns);
    if (order.lacksIds()) return null;
  }
  const [steps, turn] = [new Int32Array(tree.length), new Int32Array(tree.length)];
  const repeated = new Int32Array(tree.length).fill(NONE);
  const actions = tree.halves("action").words;
  for (let trial = 0; trial < trials; trial++) {
    if ((trial & AT_ONCE) === 0) await turns.take();
    const own = calls.subarray(starts[trial], starts[trial + 1]);
    let [step, chats] = [0, 0];
    const first = createHashIndex(actions, own.length);
    for (let i = 0; i < own.length; i++) {
      const call = own[i] ?? 0;
      if ((i & AT_ONCE) === AT_ONCE) await turns.take();
      if (found.kinds[call] === FRAME) continue;
      if (found.operations[call] === CHAT) chats++;
      steps[call] = ++step;
      turn[call] = chats;
      const known = found.operations[call] === TOOL ? first.add(call) : call;
      if (known !== call) repeated[call] = known;
    }
  }
  return { calls, starts, steps, turns: turn, repeated };
}

/** The calls that are steps and frames, by trial. */
export async function byTrial(
  { trial, order }: Places,
  { kinds }: FoundSteps,
  trials: number,
  turns: Turns,
): Promise<Pick<NumberedSteps, "calls" | "starts">> {
  const starts = new Int32Array(trials + 1);
  for (let i = 0; i < order.length; i++) {
    if ((i & AT_ONCE) === 0) await turns.take();
    const call = order[i] ?? 0;
    const own = (trial[call] ?? 0) + 1;
    if (kinds[call] !== 0) starts[own] = (starts[own] ?? 0) + 1;
  }
  for (let i = 0; i < trials; i++) starts[i + 1] = (starts[i + 1] ?? 0) + (starts[i] ?? 0);
  const next = starts.slice();
  const calls = new Int32Array(starts[trials] ?? 0);
  for (let call = 0; call < kinds.length; call++) {
    if ((call & AT_ONCE) === 0) await turns.take();
    const own = trial[call] ?? NONE;
    if (kinds[call] === 0 || own < 0) continue;
    calls[next[own] ?? 0] = call;
    next[own] = (next[own] ?? 0) + 1;
  }
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
  const ids = tree.has("id") ? tree.words("id") : null;
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

async function isOrdered(calls: Int32Array, compare: Compare, turns: Turns): Promise<boolean> {
  for (let i = 1; i < calls.length; i++) {
    if ((i & AT_ONCE) === 0) await turns.take();
    if (compare(calls[i - 1] ?? 0, calls[i] ?? 0) > 0) return false;
  }
  return true;
}

/** Sorts in pieces, and merges them in pieces. */
async function sortInSlices(calls: Int32Array, compare: Compare, turns: Turns): Promise<void> {
  for (let at = 0; at < calls.length; at += AT_ONCE) {
    await turns.take();
    calls.subarray(at, at + AT_ONCE).sort(compare);
  }
  for (let width = AT_ONCE; width < calls.length; width *= 2) {
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
  for (let at = start; at < end; at++) {
    if ((at & AT_ONCE) === 0) await turns.take();
    const isLeft = left < middle && (right >= end || compare(from[left] ?? 0, from[right] ?? 0) <= 0);
    to[at] = from[isLeft ? left++ : right++] ?? 0;
  }
}
