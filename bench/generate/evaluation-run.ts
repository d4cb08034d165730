import { encodeCall, objectRef } from "./call-text.ts";
import { rowShift, type DataParameters } from "./parameters.ts";
import { randomAt, timeOrderedId } from "./random.ts";

const firstStart = Date.UTC(2026, 0, 5) * 1000;
const hour = 3_600_000_000;

/** One evaluation: its root call and what its trials share. Times are microseconds since 1970. */
export interface EvaluationRun {
  readonly index: number;
  readonly id: string;
  readonly traceId: string;
  readonly model: string;
  readonly skill: number;
  readonly startedAt: number;
  readonly firstRow: number;
}

export function evaluationRun(parameters: DataParameters, index: number): EvaluationRun {
  const random = randomAt(parameters.seed, 0, index);
  const startedAt = firstStart + index * 8 * hour;
  return {
    index,
    id: timeOrderedId(startedAt / 1000, random),
    traceId: timeOrderedId(startedAt / 1000, random),
    model: `model-${index}`,
    skill: 0.35 + random() * 0.4,
    startedAt,
    firstRow: index * rowShift(parameters),
  };
}

/** Ids of the root calls, in the order of the runs. */
export function evaluationIds(parameters: DataParameters): string[] {
  return Array.from({ length: parameters.evaluations }, (_, index) => evaluationRun(parameters, index).id);
}

export function rootLine(parameters: DataParameters, run: EvaluationRun): string {
  const trials = parameters.rows * parameters.trials;
  return encodeCall({
    id: run.id,
    op: "Evaluation.evaluate",
    displayName: `${run.model} on questions`,
    traceId: run.traceId,
    parentId: null,
    startedAt: run.startedAt - 5000,
    endedAt: run.startedAt + trials * 40_000 + 4_000_000,
    attributesJson: `{"svc":{"source":"python-sdk"}}`,
    inputsJson: `{"self":"${objectRef("qa")}","model":"${objectRef(run.model)}"}`,
    outputJson: `{"trials":${trials}}`,
    summaryJson: `{"usage":{}}`,
  });
}
