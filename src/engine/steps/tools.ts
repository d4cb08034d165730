import { inSlices, sortInSlices } from "../../model/turns.ts";
import type { AskedSteps } from "../../request/steps-request.ts";
import { toolsAnswer, type ToolsAnswer } from "../../respond/steps/tools-answer.ts";
import { addCall, addTrial, emptyTally, type StepsTally } from "../../respond/steps/tools.ts";
import { CHAT, ERROR_UNKNOWN, HAS_ERROR, NO_TIMES, STEP, TOOL } from "../walk/find-steps.ts";
import { NONE } from "../walk/hash-index.ts";
import { byTrial, findRepeats } from "../walk/number-steps.ts";
import { findBelow, type FoundBelow } from "../walk/walk-steps.ts";
import { passedOf, readFacts, walkScope, type StepsScope } from "./scope.ts";

/** Tells which tools fail, and whether that goes with less success. */
export async function readTools(
  scope: StepsScope,
  asked: AskedSteps,
  labels: ReadonlyMap<string, string>,
): Promise<ToolsAnswer> {
  const { catalog, success, warnings, signal } = scope;
  const ids = asked.request.evaluationIds.filter((one) => catalog.evaluations.has(one));
  const tallies = new Map(ids.map((id) => [id, emptyTally()]));
  await tallyTools(scope, tallies);
  signal?.throwIfAborted();
  const evaluations = Array.from(tallies, ([id, tally]) => ({ id, label: labels.get(id) ?? id, tally }));
  const told = await toolsAnswer(evaluations, { ...asked, success: success?.name ?? null }, signal);
  return { ...told, warnings };
}

/** Which of several calls with the same action comes first is all the same, so none is put in order. */
async function tallyTools(scope: StepsScope, tallies: ReadonlyMap<string, StepsTally>): Promise<void> {
  const { session, signal } = scope;
  const facts = await readFacts(scope, null);
  const ofPlan = walkScope(scope, null);
  if (ofPlan === null || facts.size === 0) return;
  const below = await findBelow(session, ofPlan, ["name", "errorType", "microseconds"]);
  const { trials, found } = below;
  const { calls, starts } = await byTrial(below.places, found, trials.length, session.turns);
  const add = callAdder(below, await findRepeats(below, { calls, starts }, session.turns));
  const tried = trials.flatMap((trial, i) => {
    const [fact, tally] = [facts.get(trial.key), tallies.get(trial.evaluationId)];
    return fact === undefined || tally === undefined ? [] : [{ trial, i, fact, tally }];
  });
  const sorted = await sortInSlices(tried, byRow);
  for (const { trial, i, fact, tally } of sorted) {
    const own = calls.subarray(starts[i], starts[i + 1]);
    let chats = 0;
    await inSlices(own.length, session.turns, (from, to) => {
      for (let at = from; at < to; at++) {
        const call = own[at] ?? 0;
        if (found.kinds[call] !== STEP) continue;
        if (found.operations[call] === CHAT) chats++;
        else if (found.operations[call] === TOOL) add(tally, call);
      }
    });
    addTrial(tally, { rowDigest: trial.rowDigest, passed: passedOf(fact) }, chats);
    signal?.throwIfAborted();
  }
}

interface OfRow {
  readonly trial: { readonly rowDigest: string };
}

const byRow = ({ trial: a }: OfRow, { trial: b }: OfRow) =>
  Number(a.rowDigest > b.rowDigest) - Number(a.rowDigest < b.rowDigest);

function callAdder({ tree }: FoundBelow, repeated: Int32Array): (tally: StepsTally, call: number) => void {
  const state = tree.bytes("state");
  const [names, errors] = [tree.words("name"), tree.words("errorType")];
  const times = tree.numbers("microseconds");
  return (tally, call) => {
    const [mark, time] = [state[call] ?? 0, times[call] ?? NONE];
    addCall(tally, {
      name: names.at(call) ?? "",
      failed: (mark & HAS_ERROR) !== 0 ? true : (mark & ERROR_UNKNOWN) === 0 ? false : null,
      errorType: errors.at(call),
      isRepeated: (repeated[call] ?? NONE) !== NONE,
      microseconds: time < 0 || (mark & NO_TIMES) !== 0 ? null : time,
    });
  };
}
