import type {
  Condition,
  Engine,
  EvalResultsRequest,
  EvalResultsResponse,
  EvaluationSummary,
  ResultRow,
  Summary,
} from "../index.ts";
import { tauBenchAirline } from "./tau-bench-airline.ts";
import { zeroEvalGsm } from "./zeroeval-gsm.ts";

type Answering = Pick<Engine, "queryEvalResults" | "listEvaluations">;

export interface GsmAnswers {
  readonly all: Summary;
  readonly common: Summary;
  /** Number of common rows that at least one model gets right. */
  readonly anyRight: number;
  /** Number of common rows that at least one model gets wrong. */
  readonly anyWrong: number;
  /** Id of the evaluation that is best on the common rows. */
  readonly best: string;
  /** Rows on which the models differ; those that the best model fails and most others pass come first. */
  readonly telling: readonly ResultRow[];
}

export interface DemoAnswers {
  readonly gsm: GsmAnswers;
  readonly tau: Summary;
}

const TELLING_ROWS = 8;
const CORRECT = "scores.correct";

export async function askDemo(engine: Answering): Promise<DemoAnswers> {
  return { gsm: await askGsm(engine), tau: await askTau(engine) };
}

async function askGsm(engine: Answering): Promise<GsmAnswers> {
  const ask = await asker(engine, zeroEvalGsm.project);
  const all = await ask({ include_rows: false, include_summary: true });
  const common = summaryOf(
    await ask({ include_rows: false, include_summary: true, summary_require_intersection: true }),
  );
  const best =
    common.evaluations.toSorted((a, b) => (rateOf(b) ?? 0) - (rateOf(a) ?? 0))[0]?.evaluation_call_id ?? "";
  const telling = await ask({
    require_intersection: true,
    include_raw_data_rows: true,
    sort_by: [
      { field: CORRECT, mode: "difference", direction: "desc" },
      { field: CORRECT, evaluation_call_id: best, direction: "asc" },
      { field: CORRECT, direction: "desc" },
    ],
    limit: TELLING_ROWS,
  });
  return {
    all: summaryOf(all),
    common,
    anyRight: await commonRowsWith(ask, true),
    anyWrong: await commonRowsWith(ask, false),
    best,
    telling: telling.rows,
  };
}

async function askTau(engine: Answering): Promise<Summary> {
  const ask = await asker(engine, tauBenchAirline.project);
  const pass_k = tauBenchAirline.publishedPassHat.map((_, i) => i + 1);
  return summaryOf(await ask({ include_rows: false, include_summary: true, pass_k }));
}

type Ask = (request: EvalResultsRequest) => Promise<EvalResultsResponse>;

async function asker(engine: Answering, project: string): Promise<Ask> {
  const evaluation_call_ids = (await engine.listEvaluations(project)).map((evaluation) => evaluation.id);
  return (request) => engine.queryEvalResults(project, { evaluation_call_ids, ...request });
}

async function commonRowsWith(ask: Ask, correct: boolean): Promise<number> {
  const $expr: Condition = { $eq: [{ $getField: CORRECT }, { $literal: correct }] };
  const answer = await ask({ require_intersection: true, filters: [{ query: { $expr } }], limit: 0 });
  return answer.total_rows;
}

function summaryOf(answer: EvalResultsResponse): Summary {
  return answer.summary ?? { row_count: 0, evaluations: [] };
}

/** The share of trials that pass a scorer; null without a pass rate of the scorer. */
export function rateOf(evaluation: EvaluationSummary, scorer = "correct"): number | null {
  return evaluation.scorer_stats.find((stats) => stats.scorer_key === scorer)?.pass_rate ?? null;
}
