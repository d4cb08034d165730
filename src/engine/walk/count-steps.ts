import type { WalkScope } from "../../compile/walk/call-tree.ts";
import type { Key } from "../../model/digest.ts";
import { STEP_NUMBERS, type StepNumber } from "../../model/steps.ts";
import type { TrialNumbers } from "../../plan/plan.ts";
import type { Session } from "../../store/session.ts";
import { AT_ONCE } from "./find-places.ts";
import { CHAT, ERROR_UNKNOWN, HAS_ERROR, STEP, TOOL } from "./find-steps.ts";
import { NONE } from "./hash-index.ts";
import { walkTrials, type Walk } from "./walk-steps.ts";

/** What steps of trials count, by the JSON of what names it below `steps`; and the names of all tools. */
export interface StepNumbers {
  readonly numbers: ReadonlyMap<string, TrialNumbers>;
  readonly tools: ReadonlySet<string>;
}

/** The numbers of one trial; NaN where they are unknown. */
type Counts = Record<StepNumber, number>;

/** Errors of a kind of steps: how many, how many unknown. */
interface Tally {
  calls: number;
  errors: number;
  unknown: number;
}

/** Counts the steps of the trials of a scope, and those of each of these tools. */
export async function countSteps(
  session: Session,
  scope: WalkScope,
  tools: readonly string[],
): Promise<StepNumbers> {
  const walk = await walkTrials(session, scope, tools.length === 0 ? [] : ["name"]);
  const found = new Map<string, { trialKeys: Key[]; numbers: number[] }>();
  const note = (name: string, key: Key, value: number) => {
    if (Number.isNaN(value)) return;
    const own = found.get(name) ?? { trialKeys: [], numbers: [] };
    own.trialKeys.push(key);
    own.numbers.push(value);
    found.set(name, own);
  };
  const known = new Set<string>();
  for (const [i, { key }] of walk.trials.entries()) {
    if ((i & AT_ONCE) === 0 || i % 64 === 0) await session.turns.take();
    const counted = countTrial(walk, i, tools.length > 0);
    if (counted === null) continue;
    for (const name of STEP_NUMBERS) note(JSON.stringify([name]), key, counted.counts[name]);
    for (const name of counted.byTool.keys()) known.add(name);
    for (const tool of tools) {
      const { calls, errors, unknown } = counted.byTool.get(tool) ?? { calls: 0, errors: 0, unknown: 0 };
      note(JSON.stringify(["tool", tool, "calls"]), key, calls);
      note(JSON.stringify(["tool", tool, "errors"]), key, unknown > 0 ? NaN : errors);
    }
  }
  return { numbers: found, tools: known };
}

/** Null of a trial without a step. */
function countTrial(
  { tree, found, numbered }: Walk,
  trial: number,
  withTools: boolean,
): { readonly counts: Counts; readonly byTool: ReadonlyMap<string, Tally> } | null {
  const state = tree.numbers("state");
  const all: Tally = { calls: 0, errors: 0, unknown: 0 };
  const ofTools: Tally = { calls: 0, errors: 0, unknown: 0 };
  const byTool = new Map<string, Tally>();
  let [chats, repeats, first, isFirstKnown] = [0, 0, NaN, true];
  for (let at = numbered.starts[trial] ?? 0; at < (numbered.starts[trial + 1] ?? 0); at++) {
    const call = numbered.calls[at] ?? 0;
    if (found.kinds[call] !== STEP) continue;
    const own = state[call] ?? 0;
    const isTool = found.operations[call] === TOOL;
    if (found.operations[call] === CHAT) chats++;
    if (numbered.repeated[call] !== NONE) repeats++;
    if ((own & HAS_ERROR) !== 0 && Number.isNaN(first) && isFirstKnown) first = numbered.steps[call] ?? 0;
    if ((own & ERROR_UNKNOWN) !== 0 && Number.isNaN(first)) isFirstKnown = false;
    tally(all, own);
    if (isTool) tally(ofTools, own);
    const name = isTool && withTools ? tree.words("name").at(call) : null;
    if (name === null) continue;
    const tool = byTool.get(name) ?? { calls: 0, errors: 0, unknown: 0 };
    byTool.set(name, tally(tool, own));
  }
  if (all.calls === 0) return null;
  const counts: Counts = {
    count: all.calls,
    chats,
    tools: ofTools.calls,
    errors: all.unknown > 0 ? NaN : all.errors,
    tool_errors: ofTools.unknown > 0 ? NaN : ofTools.errors,
    repeats,
    first_error: first,
  };
  return { counts, byTool };
}

function tally(to: Tally, state: number): Tally {
  to.calls++;
  if ((state & HAS_ERROR) !== 0) to.errors++;
  else if ((state & ERROR_UNKNOWN) !== 0) to.unknown++;
  return to;
}
