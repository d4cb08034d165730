import { compileCosts, compileTrialCosts } from "../../compile/rows/costs.ts";
import type { Narrowing } from "../../compile/rows/selected-rows.ts";
import type { Key } from "../../model/digest.ts";
import type { Plan, Prices } from "../../plan/plan.ts";
import type { LeaderboardCost } from "../../respond/summary/usage.ts";
import { compareText } from "../../model/text-order.ts";
import type { Session } from "../../store/session.ts";

/** The trials that a model leaves without a cost, and how many of them although it has a price. */
export type WithoutCost = Map<string, { trials: number; unsplit: number }>;

/**
 * What trials cost, by evaluation key, without entries for evaluations whose trials have no cost; and what leaves
 * trials without one.
 */
export async function readCosts(session: Session, plan: Plan, narrowed: Narrowing, prices: Prices) {
  const ofEvaluations = new Map<number, LeaderboardCost>();
  const without: WithoutCost = new Map();
  for (const { evaluationKey, model, trials, carried, unsplit, total } of await session.all(
    compileCosts(plan, narrowed, prices),
  )) {
    if (model === null)
      ofEvaluations.set(evaluationKey, { total, trial_count: trials, carried_count: carried });
    else addWithout(without, model, trials, unsplit);
  }
  return { ofEvaluations, warnings: costWarnings(without) };
}

/** The costs of the trials of some rows by trial key; notes in `without` what leaves others without one. */
export async function readTrialCosts(
  session: Session,
  plan: Plan,
  prices: Prices,
  rowKeys: readonly Key[],
  without: WithoutCost,
): Promise<ReadonlyMap<Key, number>> {
  const costs = new Map<Key, number>();
  for (const { trialKey, model, unsplit, cost } of await session.all(
    compileTrialCosts(plan, prices, rowKeys),
  )) {
    if (model === null) costs.set(trialKey, cost);
    else addWithout(without, model, 1, unsplit ? 1 : 0);
  }
  return costs;
}

function addWithout(without: WithoutCost, model: string, trials: number, unsplit: number): void {
  const sum = without.get(model) ?? { trials: 0, unsplit: 0 };
  without.set(model, { trials: sum.trials + trials, unsplit: sum.unsplit + unsplit });
}

export function costWarnings(without: WithoutCost): string[] {
  return [...without]
    .toSorted(([a], [b]) => compareText(a, b))
    .map(([model, { trials, unsplit }]) => costWarning(model, trials, unsplit));
}

function costWarning(model: string, trials: number, unsplit: number): string {
  const what = `${trials} ${trials === 1 ? "trial has" : "trials have"} no cost`;
  return unsplit === 0
    ? `no price for the model ${JSON.stringify(model)}: ${what}`
    : `${JSON.stringify(model)} has a price, but its calls tell no input and output tokens: ${what}`;
}
