import type { AgreementRequest, RatersRequest } from "../request/agreement-request.ts";
import type { CompareRequest } from "../request/compare-request.ts";
import type { HistoryRequest } from "../request/history-request.ts";
import type { ItemsRequest } from "../request/items-request.ts";
import type { PlanRequest } from "../request/plan-request.ts";
import type { PlanAnswer } from "../respond/plan/plan-rows.ts";
import type { LeaderboardRequest } from "../request/leaderboard-request.ts";
import type { AgreementResponse } from "../respond/agreement/agreement.ts";
import type { RatersAnswer } from "../respond/agreement/raters.ts";
import type { ComparisonAnswer } from "../respond/compare/comparison.ts";
import type { HistoryAnswer } from "../respond/history/history.ts";
import type { ItemsAnswer } from "../respond/items/items.ts";
import type { LeaderboardAnswer } from "../respond/leaderboard/leaderboard.ts";
import type { StepsRequest } from "../request/steps-request.ts";
import type { StepsAnswer } from "../respond/steps/answer.ts";
import type { QueryOptions } from "./query/query.ts";

/** The members of an engine that compare evaluations, rows and raters. */
export interface Comparing {
  // Compare

  /**
   * Compares candidates with a baseline on the rows that they share, dimension by dimension: difference, standard
   * error, p value adjusted over the whole answer, verdict. Differences are in units of the score. Rejects with
   * `RequestError` where there is nothing to compare: an unknown evaluation or scorer, texts, no candidate with two
   * common rows.
   */
  readonly compareEvaluations: (
    projectId: string,
    request: CompareRequest,
    options?: QueryOptions,
  ) => Promise<ComparisonAnswer>;

  /**
   * Puts the evaluations of a project in order, the best first: mean with its 95 % interval, pass rate, rows, trials,
   * errors, latency in seconds, tokens, cost in the currency of the prices. `standing` tells for each one whether it is
   * shown different from the best. Rejects with `RequestError` on an unknown evaluation, scorer or field, and on a text
   * score.
   */
  readonly leaderboard: (
    projectId: string,
    request?: LeaderboardRequest,
    options?: QueryOptions,
  ) => Promise<LeaderboardAnswer>;

  /**
   * Tells the last finished evaluations of one name, the latest last: each with its scores, compared with the one
   * before and with the best in the headline score, and since when they are worse. Rejects with `RequestError` on an
   * unknown name, scorer or field.
   */
  readonly history: (
    projectId: string,
    request?: HistoryRequest,
    options?: QueryOptions,
  ) => Promise<HistoryAnswer>;

  /**
   * Tells how many rows a run needs to find a difference, by trials of a row: from one evaluation, from a pair over the
   * same rows, or from a rate. Rejects with `RequestError` on an unknown evaluation, score or field.
   */
  readonly planRows: (projectId: string, request: PlanRequest, options?: QueryOptions) => Promise<PlanAnswer>;

  /**
   * Tells what each row says of some evaluations in one score: whether it tells them apart, and whether the better ones
   * answer it better. Rejects with `RequestError` on an unknown score and on one of texts alone.
   */
  readonly items: (projectId: string, request: ItemsRequest, options?: QueryOptions) => Promise<ItemsAnswer>;

  /**
   * Tells what agents did inside trials: which tools fail and whether that goes with less success, one trial step by
   * step, or where failing trials leave passing ones. Rejects with `RequestError` on an unknown evaluation or score,
   * and with `not_found` on an unknown trial.
   */
  readonly steps: (projectId: string, request: StepsRequest, options?: QueryOptions) => Promise<StepsAnswer>;

  // Agree

  /**
   * Measures how far two score dimensions agree, trial by trial: kappa, alpha, correlations, a confusion matrix, and
   * the mean of `a` that `b` predicts. Rejects with `RequestError` on an unknown dimension, on texts beside numbers,
   * and where no trial has both.
   */
  readonly agreement: {
    (projectId: string, request: AgreementRequest, options?: QueryOptions): Promise<AgreementResponse>;
    /**
     * Measures how far several raters agree, trial by trial: α, AC1, each two of them, and who differs. Missing ratings
     * are left out.
     */
    (projectId: string, request: RatersRequest, options?: QueryOptions): Promise<RatersAnswer>;
  };
}
