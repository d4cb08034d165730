import { compileLeafNumbers, type ScoreScope } from "../../compile/scores/score-records.ts";
import type { Key } from "../../model/digest.ts";
import { nameText } from "../../model/name-text.ts";
import { mapInSlices } from "../../model/turns.ts";
import { keyedNumbers, type KeyedNumbers, type VirtualLeaf } from "../../plan/plan.ts";
import type { ConsensusScore } from "../../request/derived-scores.ts";
import { meaningless } from "../../request/meaningless.ts";
import {
  dawidSkeneSteps,
  majorityRating,
  meanRating,
  type Consensus,
  type RatingsOfUnit,
} from "../../stats/agreement/consensus.ts";
import type { Session } from "../../store/session.ts";
import { madeOnce } from "./asked-once.ts";

/** What raters say of trials together, and what there is to say of trials without a value. */
interface Decided {
  readonly numbers: KeyedNumbers;
  readonly warnings: readonly string[];
}

/** What was decided since the last write, by who was asked, how, and of which evaluations. */
export type KeptConsensus = Map<string, Promise<Decided>>;

const MOST_RATINGS = 1_000_000;
const MOST_CLASSES = 50;
const RATINGS_AT_ONCE = 1024;

export type DecideTrials = (
  score: ConsensusScore,
  pathKeys: readonly number[],
  leaves: readonly VirtualLeaf[],
) => Promise<Decided>;

/** Decides the trials of a scope once until the next write. */
export function trialDecider(
  session: Session,
  kept: KeptConsensus,
  scope: Omit<ScoreScope, "virtualLeaves">,
): DecideTrials {
  return (score, pathKeys, leaves) => {
    const virtualLeaves = leaves.filter(({ key }) => pathKeys.includes(key));
    const key = JSON.stringify([score, scope, pathKeys, virtualLeaves]);
    return madeOnce(kept, key, () => decide(session, { ...scope, virtualLeaves }, score, pathKeys));
  };
}

async function decide(
  session: Session,
  scope: ScoreScope,
  { name, consensus: { of, method } }: ConsensusScore,
  pathKeys: readonly number[],
): Promise<Decided> {
  const loc = ["derived_scores", name, "consensus", "of"];
  const found = await session.all(compileLeafNumbers(scope, pathKeys, MOST_RATINGS + 1));
  if (found.length > MOST_RATINGS)
    throw meaningless(loc, `there are more than ${MOST_RATINGS} ratings; ask for fewer evaluations`);
  if (method === "dawid-skene" && new Set(found.map(({ value }) => value)).size > MOST_CLASSES)
    throw meaningless(
      loc,
      `have more than ${MOST_CLASSES} different values, which dawid-skene takes for classes`,
    );
  const placeOf = new Map(pathKeys.map((key, place) => [key, place]));
  const byTrial = new Map<Key, (number | null)[]>();
  for (const [i, { trial, pathKey, value }] of found.entries()) {
    if (i % RATINGS_AT_ONCE === 0) await session.turns.take();
    const own = byTrial.get(trial) ?? pathKeys.map(() => null);
    own[placeOf.get(pathKey) ?? 0] = value;
    byTrial.set(trial, own);
  }
  const { values, settled } = await valuesOf(session, method, [...byTrial.values()]);
  const trials = [...byTrial.keys()].map((key, i) => ({ key, value: values[i] ?? null }));
  const decided = trials.flatMap(({ key, value }) => (value === null ? [] : [{ key, value }]));
  const raters = of.map((one) => nameText(one.name)).join(", ");
  const tied = tiedWarning(nameText(name), trials.length - decided.length, raters);
  const unsettled = `${nameText(name)}: what ${raters} say does not settle; the values are those of the last step`;
  return {
    numbers: keyedNumbers(decided),
    warnings: settled ? tied : [...tied, unsettled],
  };
}

async function valuesOf(
  session: Session,
  method: ConsensusScore["consensus"]["method"],
  units: readonly RatingsOfUnit[],
): Promise<Consensus> {
  if (method !== "dawid-skene") {
    const rate = method === "mean" ? meanRating : majorityRating;
    return { values: await mapInSlices(units, rate), settled: true };
  }
  const steps = dawidSkeneSteps(units);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await session.turns.take();
    session.signal?.throwIfAborted();
  }
}

function tiedWarning(name: string, tied: number, raters: string): string[] {
  if (tied === 0) return [];
  const [trials, have] = tied === 1 ? ["1 trial", "has"] : [`${tied} trials`, "have"];
  return [`${name}: ${trials} on which ${raters} are tied ${have} no value`];
}
