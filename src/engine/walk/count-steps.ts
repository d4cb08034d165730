import type { WalkScope } from "../../compile/walk/call-tree.ts";
import { inSlices } from "../../model/turns.ts";
import { keyedNumbers, type KeyedNumbers } from "../../plan/plan.ts";
import type { Session } from "../../store/session.ts";
import { CHAT, ERROR_UNKNOWN, HAS_ERROR, STEP, TOOL } from "./find-steps.ts";
import { NONE } from "./hash-index.ts";
import { byTrial, findRepeats } from "./number-steps.ts";
import { findBelow, walkTrials, type FoundBelow, type Walk } from "./walk-steps.ts";

/** What steps of trials count, by the JSON of what names it below `steps`; and the names of all tools. */
export interface StepNumbers {
  readonly numbers: ReadonlyMap<string, KeyedNumbers>;
  readonly tools: ReadonlySet<string>;
}

/** By trial: how many steps of a kind there are, failed ones, and those of which that is unknown. */
interface Tally {
  readonly calls: Float64Array;
  readonly errors: Float64Array;
  readonly unknown: Float64Array;
}

function tallyOf(trials: number): Tally {
  const zeros = () => new Float64Array(trials);
  return { calls: zeros(), errors: zeros(), unknown: zeros() };
}

/** NaN where of one it is unknown. */
function knownErrors({ errors, unknown }: Tally): Float64Array {
  return errors.map((count, i) => (unknown[i] === 0 ? count : NaN));
}

/** The tallies of a walk, and those of the tools that are asked for; the names of all tools where one is. */
interface Tallies {
  readonly all: Tally;
  readonly chats: Tally;
  readonly tools: Tally;
  readonly byName: ReadonlyMap<string, Tally>;
  readonly names: ReadonlySet<string>;
}

/** Counts what is asked for of the steps of the trials of a scope; each is named by its segments below `steps`. */
export async function countSteps(
  session: Session,
  scope: WalkScope,
  asked: readonly (readonly string[])[],
): Promise<StepNumbers> {
  const asks = (name: string) => asked.some(([first]) => first === name);
  const columns = asks("tool") ? (["name"] as const) : [];
  const walk = asks("first_error") ? await walkTrials(session, scope, columns) : null;
  const below = walk ?? (await findBelow(session, scope, columns));
  const tallies = await tallySteps(session, below, asked);
  const repeats = asks("repeats") ? await countRepeats(session, below) : null;
  const firsts = walk === null ? null : await findFirstErrors(session, walk);
  const valuesOf = ([name = "", tool = "", last = ""]: readonly string[]): ArrayLike<number> => {
    const own = tallies.byName.get(tool) ?? tallyOf(below.trials.length);
    switch (name) {
      case "chats":
      case "tools":
        return tallies[name].calls;
      case "errors":
        return knownErrors(tallies.all);
      case "tool_errors":
        return knownErrors(tallies.tools);
      case "repeats":
        return repeats ?? [];
      case "first_error":
        return firsts ?? [];
      case "tool":
        return last === "calls" ? own.calls : knownErrors(own);
      default:
        return tallies.all.calls;
    }
  };
  const numbers = asked.map(
    (one) => [JSON.stringify(one), ofTrials(below, tallies.all, valuesOf(one))] as const,
  );
  return { numbers: new Map(numbers), tools: tallies.names };
}

/** The numbers of the trials with a step, where they are known. */
function ofTrials({ trials }: FoundBelow, { calls }: Tally, values: ArrayLike<number>): KeyedNumbers {
  const known = trials.flatMap(({ key }, i) => {
    const value = values[i] ?? NaN;
    return (calls[i] ?? 0) === 0 || Number.isNaN(value) ? [] : [{ key, value }];
  });
  return keyedNumbers(known);
}

async function tallySteps(
  session: Session,
  { trials, tree, places, found }: FoundBelow,
  asked: readonly (readonly string[])[],
): Promise<Tallies> {
  const [all, chats, tools] = [tallyOf(trials.length), tallyOf(trials.length), tallyOf(trials.length)];
  const wanted = asked.flatMap(([first, name = ""]) => (first === "tool" ? [name] : []));
  const byName = new Map(wanted.map((name) => [name, tallyOf(trials.length)]));
  const seen = new Set<string>();
  const state = tree.bytes("state");
  const names = wanted.length > 0 ? tree.words("name") : null;
  const { order } = places;
  const add = (call: number) => {
    if (found.kinds[call] !== STEP) return;
    const trial = places.trial[call] ?? 0;
    tally(all, trial, state[call] ?? 0);
    const operation = found.operations[call];
    if (operation === CHAT) tally(chats, trial, state[call] ?? 0);
    if (operation !== TOOL) return;
    tally(tools, trial, state[call] ?? 0);
    const name = names?.at(call) ?? null;
    if (name === null) return;
    seen.add(name);
    const own = byName.get(name);
    if (own !== undefined) tally(own, trial, state[call] ?? 0);
  };
  await inSlices(order.length, session.turns, (from, to) => {
    for (let i = from; i < to; i++) add(order[i] ?? 0);
  });
  return { all, chats, tools, byName, names: seen };
}

function tally({ calls, errors, unknown }: Tally, trial: number, state: number): void {
  calls[trial] = (calls[trial] ?? 0) + 1;
  if ((state & HAS_ERROR) !== 0) errors[trial] = (errors[trial] ?? 0) + 1;
  else if ((state & ERROR_UNKNOWN) !== 0) unknown[trial] = (unknown[trial] ?? 0) + 1;
}

/** How many tools of each trial have the action of another one. */
async function countRepeats(
  session: Session,
  { trials, tree, places, found }: FoundBelow,
): Promise<Float64Array> {
  const repeats = new Float64Array(trials.length);
  const { calls, starts } = await byTrial(places, found, trials.length, session.turns);
  const repeated = await findRepeats({ tree, found }, { calls, starts }, session.turns);
  await inSlices(repeated.length, session.turns, (from, to) => {
    for (let call = from; call < to; call++) {
      const trial = places.trial[call] ?? NONE;
      if (repeated[call] !== NONE) repeats[trial] = (repeats[trial] ?? 0) + 1;
    }
  });
  return repeats;
}

/** The number of the first step of each trial that failed; NaN where none did, or one before it may have. */
async function findFirstErrors(
  session: Session,
  { trials, tree, places, found, numbered }: Walk,
): Promise<Float64Array> {
  const firsts = new Float64Array(trials.length).fill(NaN);
  const state = tree.bytes("state");
  const isKnown = new Uint8Array(trials.length);
  await inSlices(numbered.calls.length, session.turns, (from, to) => {
    for (let at = from; at < to; at++) {
      const call = numbered.calls[at] ?? 0;
      const [trial, mark] = [places.trial[call] ?? 0, state[call] ?? 0];
      const mayFail = found.kinds[call] === STEP && (mark & (HAS_ERROR | ERROR_UNKNOWN)) !== 0;
      if (!mayFail || isKnown[trial] === 1) continue;
      isKnown[trial] = 1;
      if ((mark & HAS_ERROR) !== 0) firsts[trial] = numbered.steps[call] ?? NaN;
    }
  });
  return firsts;
}
