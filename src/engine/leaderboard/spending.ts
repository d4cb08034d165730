import { compileCosts, COST_PARTS } from "../../compile/leaderboard/costs.ts";
import { compileUsage, TOKEN_PARTS } from "../../compile/leaderboard/usage.ts";
import { narrowing, type Narrowing } from "../../compile/rows/selected-rows.ts";
import type { Plan } from "../../plan/plan.ts";
import type { Ranking } from "../../request/leaderboard/leaderboard-request.ts";
import type { PriceList } from "../../request/leaderboard/prices.ts";
import type { LeaderboardCost, LeaderboardEntry } from "../../respond/leaderboard/leaderboard.ts";
import { compareText } from "../../respond/summary/summary.ts";
import type { Session } from "../../store/session.ts";

interface EvaluationSpending extends Pick<LeaderboardEntry, "latency" | "tokens"> {
  readonly rows: number;
}

/** Rows, latency, tokens and costs of evaluations. */
export interface Spending {
  /** By evaluation key. */
  readonly usage: ReadonlyMap<number, EvaluationSpending>;
  /** The cost of an evaluation by its key; null where costs were not asked for. */
  readonly costOf: (evaluationKey: number) => LeaderboardCost | null;
  readonly warnings: readonly string[];
}

/** Where there are no trials. */
export const NO_SPENDING: Spending = { usage: new Map(), costOf: () => null, warnings: [] };

export async function readSpending(session: Session, plan: Plan, { prices }: Ranking): Promise<Spending> {
  const narrowed = narrowing(plan, false);
  const used = await session.all(compileUsage(plan, narrowed));
  const usage = new Map(
    used.map(({ evaluationKey, rows, timedTrials, latency, countedTrials, tokens }) => [
      evaluationKey,
      {
        rows,
        latency: { p50_seconds: latency, trial_count: timedTrials },
        tokens: {
          total: countedTrials === 0 ? null : Number(tokens) / TOKEN_PARTS,
          trial_count: countedTrials,
        },
      },
    ]),
  );
  if (prices === null) return { ...NO_SPENDING, usage };
  return { usage, ...(await readCosts(session, plan, narrowed, prices)) };
}

const UNKNOWN_COST: LeaderboardCost = { total: null, trial_count: 0, carried_count: 0 };

async function readCosts(
  session: Session,
  plan: Plan,
  narrowed: Narrowing,
  prices: PriceList,
): Promise<Pick<Spending, "costOf" | "warnings">> {
  const found = await session.all(compileCosts(plan, narrowed, prices));
  const costs = new Map<number, LeaderboardCost>();
  const without = new Map<string, { trials: number; unsplit: number }>();
  for (const { evaluationKey, model, trials, carried, unsplit, total } of found) {
    if (model === null) {
      const cost = { total: Number(total) / COST_PARTS, trial_count: trials, carried_count: carried };
      costs.set(evaluationKey, cost);
      continue;
    }
    const sum = without.get(model) ?? { trials: 0, unsplit: 0 };
    without.set(model, { trials: sum.trials + trials, unsplit: sum.unsplit + unsplit });
  }
  return {
    costOf: (evaluationKey) => costs.get(evaluationKey) ?? UNKNOWN_COST,
    warnings: [...without]
      .toSorted(([a], [b]) => compareText(a, b))
      .map(([model, { trials, unsplit }]) => costWarning(model, trials, unsplit)),
  };
}

function costWarning(model: string, trials: number, unsplit: number): string {
  const what = `${trials} ${trials === 1 ? "trial has" : "trials have"} no cost`;
  return unsplit === 0
    ? `no price for the model ${JSON.stringify(model)}: ${what}`
    : `${JSON.stringify(model)} has a price, but its calls tell no input and output tokens: ${what}`;
}
