import { grouped } from "../../model/grouped.ts";
import type { Step } from "../../model/steps.ts";
import { mapInSlices, nextTurn, partsOf, sortInSlices } from "../../model/turns.ts";
import { meaningless } from "../../request/meaningless.ts";
import type { AskedSteps } from "../../request/steps-request.ts";
import { besideAnswer, type BesideAnswer } from "../../respond/steps/beside.ts";
import {
  byStart,
  diffTotals,
  pairTrials,
  type ActedTrial,
  type Action,
  type DiffAnswer,
  type DiffPair,
} from "../../respond/steps/diff.ts";
import { readTrials, unknownTrial, type StepsScope, type TriedTrial } from "./scope.ts";

interface Acted extends ActedTrial {
  readonly passed: boolean | null;
}

const STEPS_AT_ONCE = 10_000;

async function actedOf(trial: TriedTrial<Step>): Promise<Acted> {
  const { evaluationCallId, rowDigest, trialId, startedAt, passed, steps } = trial;
  const actions: Action[] = [];
  for (const part of partsOf(steps, STEPS_AT_ONCE)) {
    if (actions.length > 0) await nextTurn();
    for (const { operation, step, action, name } of part)
      if (operation === "execute_tool" && step !== null)
        actions.push({ action: action ?? "", name: name ?? "", step });
  }
  return { evaluationCallId, rowDigest, trialId, startedAt, passed, actions };
}

async function readActed(scope: StepsScope, ids: readonly string[] | null): Promise<Acted[]> {
  const trials = await readTrials(scope, ids, ["name"]);
  return mapInSlices(trials, actedOf, scope.signal);
}

/** Tells where failing trials leave the passing ones of their row. */
export async function readDiff(scope: StepsScope, asked: AskedSteps): Promise<DiffAnswer> {
  const { success, warnings, signal } = scope;
  const { request, limit, offset } = asked;
  if (scope.plan !== null && success === null)
    throw meaningless(["success"], "no score of true and false; name one as success");
  const found = await pairAll(await readActed(scope, null), asked, signal);
  const places = new Map(request.evaluationIds.map((id, i) => [id, i]));
  const placeOf = ({ evaluationCallId: id }: Acted) => places.get(id) ?? 0;
  const sorted = await sortInSlices(
    found,
    ({ own: a }, { own: b }) =>
      placeOf(a) - placeOf(b) ||
      Number(a.rowDigest > b.rowDigest) - Number(a.rowDigest < b.rowDigest) ||
      byStart(a, b),
  );
  const pairs = sorted.map(({ pair }) => pair);
  return {
    view: "diff",
    success: success?.name ?? null,
    totals: diffTotals(pairs),
    pair_count: pairs.length,
    pairs: pairs.slice(offset, offset + limit),
    warnings,
  };
}

/** Pairs the failing trials of each row with its passing ones: of their own evaluation, or of the one against. */
async function pairAll(
  trials: readonly Acted[],
  { request, against }: AskedSteps,
  signal: AbortSignal | undefined,
) {
  const asked = new Set(request.evaluationIds);
  const acted = trials.filter(({ actions }) => actions.length > 0);
  const groupOf = (one: Acted) => `${against === null ? one.evaluationCallId : ""} ${one.rowDigest}`;
  const isOther = (one: Acted) => against === null || one.evaluationCallId === against;
  const failing = acted.filter((one) => one.passed === false && asked.has(one.evaluationCallId));
  const passing = grouped(
    acted.filter((one) => one.passed === true && isOther(one)),
    groupOf,
  );
  const found: { readonly own: Acted; readonly pair: DiffPair }[] = [];
  for (const [group, own] of grouped(failing, groupOf)) {
    const byId = new Map(own.map((one) => [one.trialId, one]));
    await mapInSlices(
      pairTrials(own, passing.get(group) ?? []),
      (pair) => {
        const trial = pair === null ? undefined : byId.get(pair.trial_id);
        if (pair !== null && trial !== undefined) found.push({ own: trial, pair });
      },
      signal,
    );
  }
  return found;
}

/** Puts two or three trials beside each other. */
export async function diffTrials(scope: StepsScope, asked: AskedSteps): Promise<BesideAnswer> {
  const acted = await readActed(scope, asked.trials);
  const trials = asked.trials.map((id) => {
    const found = acted.find((one) => one.trialId === id);
    if (found === undefined) throw unknownTrial(id);
    return found;
  });
  const told = besideAnswer(trials, asked);
  return { ...told, warnings: [...scope.warnings, ...told.warnings] };
}
