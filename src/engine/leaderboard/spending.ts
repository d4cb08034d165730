import { compileUsage, TOKEN_PARTS } from "../../compile/statistics/usage.ts";
import { narrowing } from "../../compile/rows/selected-rows.ts";
import type { Plan } from "../../plan/plan.ts";
import type { Ranking } from "../../request/leaderboard-request.ts";
import type { LeaderboardEntry } from "../../respond/leaderboard/leaderboard.ts";
import type { LeaderboardCost } from "../../respond/summary/usage.ts";
import type { Session } from "../../store/session.ts";
import { readCosts } from "../query/costs.ts";

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
  const { ofEvaluations, warnings } = await readCosts(session, plan, narrowed, prices);
  return { usage, costOf: (key) => ofEvaluations.get(key) ?? UNKNOWN_COST, warnings };
}

/** The median latency over the trials of all evaluations with one owner, by its key. */
export async function readLatencies(
  session: Session,
  plan: Plan,
  owners: ReadonlyMap<number, number>,
): Promise<ReadonlyMap<number, LeaderboardEntry["latency"]>> {
  const used = await session.all(compileUsage(plan, narrowing(plan, false), owners));
  return new Map(
    used.map(({ evaluationKey, timedTrials, latency }) => [
      evaluationKey,
      { p50_seconds: latency, trial_count: timedTrials },
    ]),
  );
}

const UNKNOWN_COST: LeaderboardCost = { total: null, trial_count: 0, carried_count: 0 };
