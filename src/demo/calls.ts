import type { CallRecord } from "../index.ts";
import { decodeBits, decodeHexDigits, type FigureSource } from "./figures.ts";
import { tauBenchAirline } from "./tau-bench-airline.ts";
import { zeroEvalGsm, zeroEvalGsmRuns } from "./zeroeval-gsm.ts";

interface Run {
  readonly id: string;
  readonly project: string;
  readonly dataset: string;
  readonly model: string;
  readonly displayName: string;
  readonly source: FigureSource;
  readonly startedAt: number;
  readonly trials: readonly { readonly example: object; readonly scores: object }[];
}

/** Id of the evaluation of a ZeroEval model. */
export function gsmEvaluationId(model: string): string {
  return `gsm-${model}`;
}

/**
 * Yields every call of the demo, identical on each run. The sources have no times, so the trials get one second each
 * from a fixed date on.
 */
export function* demoCalls(): Generator<CallRecord> {
  yield* callsOf(tauRun());
  for (const [i, figures] of zeroEvalGsmRuns.entries()) {
    const correct = decodeBits(figures.correct, figures.rows);
    const unanswered = new Set(figures.unanswered);
    yield* callsOf({
      id: gsmEvaluationId(figures.model),
      project: zeroEvalGsm.project,
      dataset: zeroEvalGsm.name,
      model: figures.model,
      displayName: figures.model,
      source: zeroEvalGsm.source,
      startedAt: Date.UTC(2024, 10, 1, i),
      trials: correct.map((passed, question) => ({
        example: { question },
        scores: { answered: !unanswered.has(question), correct: passed },
      })),
    });
  }
}

function tauRun(): Run {
  const outcomes = decodeHexDigits(tauBenchAirline.rewards);
  return {
    id: tauBenchAirline.evaluation,
    project: tauBenchAirline.project,
    dataset: tauBenchAirline.name,
    model: tauBenchAirline.model,
    displayName: tauBenchAirline.displayName,
    source: tauBenchAirline.source,
    startedAt: Date.UTC(2024, 10, 23),
    trials: outcomes.flatMap((trials, task) =>
      trials.map((solved) => ({ example: { task }, scores: { reward: solved ? 1 : 0, solved } })),
    ),
  };
}

function* callsOf(run: Run): Generator<CallRecord> {
  const self = `svc:///${run.project}/object/${run.dataset}:v1`;
  const model = `svc:///${run.project}/object/${run.model}:v1`;
  const shared = { project_id: run.project, trace_id: run.id };
  yield {
    ...shared,
    id: run.id,
    op_name: "Evaluation.evaluate",
    parent_id: null,
    display_name: run.displayName,
    started_at: new Date(run.startedAt).toISOString(),
    ended_at: new Date(run.startedAt + run.trials.length * 1000).toISOString(),
    attributes: { source: run.source },
    inputs: { self, model },
    output: {},
  };
  for (const [i, { example, scores }] of run.trials.entries()) {
    const at = new Date(run.startedAt + i * 1000).toISOString();
    yield {
      ...shared,
      id: `${run.id}-${i}`,
      op_name: "Evaluation.predict_and_score",
      parent_id: run.id,
      display_name: null,
      started_at: at,
      ended_at: at,
      attributes: {},
      inputs: { self, model, example },
      output: { output: null, scores, model_latency: null },
    };
  }
}
