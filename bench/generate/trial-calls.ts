import { encodeCall, objectRef, type CallText } from "./call-text.ts";
import { datasetRow, type DatasetRow } from "./dataset-rows.ts";
import type { EvaluationRun } from "./evaluation-run.ts";
import type { DataParameters } from "./parameters.ts";
import { measureOutcome, type Outcome } from "./outcome.ts";
import { randomAt, timeOrderedId, type Random } from "./random.ts";

const attributesJson = `{"svc":{"source":"python-sdk"}}`;

/** The lines of a trial's predict call, its two scorer calls and the trial itself, in this order. */
export function trialLines(
  parameters: DataParameters,
  run: EvaluationRun,
  rowIndex: number,
  trial: number,
): string[] {
  const random = randomAt(parameters.seed, 2 + run.index, rowIndex, trial);
  const row = datasetRow(parameters, rowIndex);
  const outcome = measureOutcome(random, row, run.skill);
  const position = (rowIndex - run.firstRow) * parameters.trials + trial;
  const startedAt = run.startedAt + position * 40_000 + Math.floor(random() * 20_000);
  const id = timeOrderedId(Math.floor(startedAt / 1000), random);
  const scoringAt = startedAt + outcome.latency + 1500;
  const child = { traceId: run.traceId, parentId: id };
  const correct = { name: "correct", seesJson: `"label":"${outcome.label}"`, scoreJson: outcome.correctJson };
  const judge = { name: "judge", seesJson: `"output":${outcome.outputJson}`, scoreJson: outcome.judgeJson };
  return [
    encodeCall({ ...child, ...predictCall(random, run, row, outcome, startedAt + 700) }),
    encodeCall({ ...child, ...scorerCall(random, correct, outcome, scoringAt) }),
    encodeCall({ ...child, ...scorerCall(random, judge, outcome, scoringAt + 900) }),
    encodeCall(trialCall(run, row, outcome, id, startedAt)),
  ];
}

type ChildText = Omit<CallText, "traceId" | "parentId">;

function predictCall(
  random: Random,
  run: EvaluationRun,
  row: DatasetRow,
  outcome: Outcome,
  at: number,
): ChildText {
  return {
    id: timeOrderedId(Math.floor(at / 1000), random),
    op: `${run.model}.predict`,
    startedAt: at,
    endedAt: at + outcome.latency,
    ...(outcome.failed ? { exception: "TimeoutError: the model did not answer in time" } : {}),
    attributesJson,
    inputsJson: `{"self":"${objectRef(run.model)}","example":${row.example}}`,
    outputJson: outcome.outputJson,
    summaryJson: outcome.usageJson,
  };
}

interface Scoring {
  readonly name: string;
  readonly seesJson: string;
  readonly scoreJson: string;
}

function scorerCall(random: Random, scoring: Scoring, outcome: Outcome, at: number): ChildText {
  const { name, seesJson, scoreJson } = scoring;
  return {
    id: timeOrderedId(Math.floor(at / 1000), random),
    op: `${name}.score`,
    startedAt: at,
    endedAt: at + 800,
    ...(outcome.failed ? { exception: "ValueError: nothing to score" } : {}),
    attributesJson: `{"svc":{"score":"true","scorer":"${objectRef(name)}"}}`,
    inputsJson: `{"self":"${objectRef(name)}",${seesJson}}`,
    outputJson: scoreJson,
    summaryJson: `{"usage":{}}`,
  };
}

function trialCall(run: EvaluationRun, row: DatasetRow, outcome: Outcome, id: string, at: number): CallText {
  const scores = `{"correct":${outcome.correctJson},"judge":${outcome.judgeJson}}`;
  return {
    id,
    op: "Evaluation.predict_and_score",
    traceId: run.traceId,
    parentId: run.id,
    startedAt: at,
    endedAt: at + outcome.latency + 4000,
    attributesJson,
    inputsJson: `{"self":"${objectRef("qa")}","model":"${objectRef(run.model)}","example":${row.example}}`,
    outputJson: `{"output":${outcome.outputJson},"scores":${scores},"model_latency":${outcome.latency / 1e6}}`,
    summaryJson: outcome.usageJson,
  };
}
